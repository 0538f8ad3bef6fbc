import type { RecordedEvent } from "../../src/event.ts";
import { projector } from "../../src/log/projector.ts";
import type { Append, AppendResult, Store } from "../../src/store/store.ts";
import { createDatabase, type Database } from "./model/database.ts";
import { openModel } from "./model.ts";
import type { World } from "./world.ts";

/** One append as it was committed. */
export interface Commit {
  readonly actor: string;
  readonly timeMs: number;
  readonly events: readonly RecordedEvent[];
}

/** The one server with the log that all nodes reach. */
export interface Server {
  readonly db: Database;
  readonly store: Store;
  /** All that was written, in order. */
  readonly commits: readonly Commit[];
  isUp: boolean;
  /** Grows whenever another server takes over: connections to the one before are gone. */
  term: number;
  /** Carries out an append, unless somebody has asked already what became of it. */
  append(id: string, append: Append): Promise<AppendResult | undefined>;
  /**
   * What became of an append; undefined where it did not happen, and then it never will: who asks
   * takes its id, as an append does.
   */
  lookUp(id: string): AppendResult | undefined;
}

export function createServer(world: World): Server {
  const db = createDatabase();
  const store = openModel(db, projector);
  const commits: Commit[] = [];
  const outcomes = new Map<string, AppendResult | undefined>();
  return {
    ...{ db, store, commits, isUp: true, term: 0 },
    async append(id, append) {
      if (outcomes.has(id)) return undefined;
      const result = await store.append(append);
      outcomes.set(id, result);
      if (result.kind === "appended") {
        const { actor, timeMs } = append;
        commits.push({ actor, timeMs, events: result.events });
      }
      world.say(() => `server: ${append.actor} ${result.kind} ${toldOf(result)}`);
      return result;
    },
    lookUp(id) {
      if (!outcomes.has(id)) outcomes.set(id, undefined);
      return outcomes.get(id);
    },
  };
}

function toldOf(result: AppendResult): string {
  switch (result.kind) {
    case "appended":
      return result.events
        .map(({ position, stream, type }) => `${position} ${stream} ${type}`)
        .join(", ");
    case "version-conflict":
      return result.stream;
    case "claim-taken":
      return `${result.claim.kind} ${result.claim.value}`;
    default:
      return "";
  }
}
