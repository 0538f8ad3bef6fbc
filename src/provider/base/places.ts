import type { AppState } from "../../domain/app/app.ts";
import { streamOf } from "../../domain/noun.ts";
import { project } from "../../domain/project.ts";
import type { Objects } from "../../store/objects.ts";
import type { Store } from "../../store/store.ts";
import { createMemory } from "./memory.ts";

/** The streams of an application and of its project. */
export type Place = readonly [app: string, project: string];

/** Where applications lie. */
export interface Places {
  /** The place of one; undefined where no application has the client id. */
  of(clientId: string): Promise<Place | undefined>;
}

/** Places that are remembered; of more, those that were found first are forgotten. */
export const placesMax = 10_000;

/**
 * Finds the places of applications by their client ids. An id is given to one application and an
 * application to one project, both for good: so places are remembered, and what lies there is not.
 */
export function createPlaces(
  store: Pick<Store, "find">,
  objects: Pick<Objects, "current">,
): Places {
  const known = createMemory<Place>(placesMax);

  async function find(clientId: string): Promise<Place | undefined> {
    const app = await store.find({ kind: "app.client", scope: "", value: clientId });
    if (app === undefined) return undefined;
    const [found] = await objects.current([app]);
    const { projectId } = (found?.state ?? {}) as Partial<AppState>;
    return projectId === undefined ? undefined : [app, streamOf(project, projectId)];
  }

  return {
    async of(clientId) {
      const before = known.get(clientId);
      if (before !== undefined) return before;
      const place = await find(clientId);
      if (place !== undefined) known.keep(clientId, place);
      return place;
    },
  };
}
