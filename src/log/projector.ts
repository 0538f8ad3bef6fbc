import { nounOf, revision } from "../domain/nouns.ts";
import type { SendLimits } from "../domain/sending.ts";
import { createAsking, createProjector } from "../execute/projection.ts";
import type { Asking } from "../store/message.ts";

/** How everything that is derived follows from the log of this program. */
export const projector = createProjector({ revision, nounOf });

/** What a log has asked to be sent, against the bounds of now. */
export function askingWith(limits: SendLimits): Asking {
  return createAsking({ nounOf }, limits);
}
