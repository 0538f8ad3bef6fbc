import { nounOf, revision } from "../domain/nouns.ts";
import { createProjector } from "../execute/projection.ts";

/** How everything that is derived follows from the log of this program. */
export const projector = createProjector({ revision, nounOf });
