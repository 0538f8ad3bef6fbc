import type { AppState } from "../../domain/app/app.ts";
import { streamOf } from "../../domain/noun.ts";
import { project } from "../../domain/project.ts";
import type { Objects } from "../../store/objects.ts";
import type { Store } from "../../store/store.ts";
import { createMemory } from "./memory.ts";

/** The streams of an application and of its project. */
export type AppStreams = readonly [app: string, project: string];

/** Where applications lie. */
export interface ClientStreams {
  /** The streams of one; undefined where no application has the client id. */
  of(clientId: string): Promise<AppStreams | undefined>;
}

/** Places that are remembered; of more, those that were found first are forgotten. */
export const clientStreamsMax = 10_000;

/**
 * Finds the streams of applications by their client ids. An id is given to one application and an
 * application to one project, both for good: so streams are remembered, and their objects are not.
 */
export function createClientStreams(
  store: Pick<Store, "find">,
  objects: Pick<Objects, "current">,
): ClientStreams {
  const known = createMemory<AppStreams>(clientStreamsMax);

  async function find(clientId: string): Promise<AppStreams | undefined> {
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
      const streams = await find(clientId);
      if (streams !== undefined) known.keep(clientId, streams);
      return streams;
    },
  };
}
