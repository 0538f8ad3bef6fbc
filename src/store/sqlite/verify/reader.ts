import type Database from "better-sqlite3";
import { sha256 } from "../../chain/hash.ts";
import { claimKey } from "../../claim-key.ts";
import type { LogReader, Moment } from "../../verify/reader.ts";
import { emptySize, fieldKey, messageKey, type PagedRows } from "../../verify/rows.ts";
import { linkAt, toPassed } from "../chain.ts";
import { prepareRows, toEvent } from "../row.ts";
import type { MayGoOn, Pieces } from "./pieces.ts";
import { prepareQueries, texts } from "./queries.ts";

/** Makes what reads a file whose tables are as expected. */
export function createReader(db: Database.Database, pieces: Pieces): LogReader {
  // SQLite has none, as PostgreSQL has.
  db.function("sha256", { deterministic: true }, (bytes) => sha256(bytes as Uint8Array));
  let queries: Queries | undefined;
  return {
    at: (piece) =>
      pieces((mayGoOn) => {
        queries ??= prepareQueries(db);
        return piece(momentOf(db, queries, mayGoOn));
      }),
  };
}

type Queries = ReturnType<typeof prepareQueries>;

function momentOf(db: Database.Database, queries: Queries, mayGoOn: MayGoOn): Moment {
  /** Rows until the piece is to end. */
  function take<Row>(rows: Iterable<Row>): readonly Row[] {
    const taken: Row[] = [];
    for (const row of rows) {
      taken.push(row);
      if (!mayGoOn()) break;
    }
    return taken;
  }
  return {
    size: async () => queries.size.get() ?? emptySize,
    linkAt: async (position) => linkAt(db, position),
    events: async (after, through) => take(queries.events.iterate(after, through)).map(toPassed),
    inStreams: async (after) => {
      const { allStreams, inStreams } = queries;
      return take(after === undefined ? allStreams.iterate() : inStreams.iterate(after)).map(
        toEvent,
      );
    },
    ofStream: async (stream, after) => take(queries.ofStream.iterate(stream, after)).map(toEvent),
    page: async <Name extends keyof PagedRows>(name: Name, after: PagedRows[Name] | undefined) => {
      const { text, values } = texts.page(name, after);
      return take(prepareRows<unknown[], PagedRows[Name]>(db, text).iterate(...values));
    },
    linesWithoutTurn: async () => queries.lines.all(),
    objectsOf: async (streams) => {
      const objects = streams.flatMap((stream) => queries.object.all(stream));
      return new Map(objects.map((object) => [object.stream, object]));
    },
    found: async ({ claims, fields, messages }) => {
      const found = new Map<string, string>();
      const put = (place: string, said: string | undefined) => {
        if (said !== undefined) found.set(place, said);
      };
      for (const claim of claims) {
        put(claimKey(claim), queries.holderOf(claim));
      }
      for (const field of fields) {
        const { kind, parent, name, folded, first } = field;
        put(fieldKey(field), queries.field.get(kind, parent, name, folded, first));
      }
      for (const message of messages) {
        put(messageKey(message), queries.pending.get(message.position, message.field));
      }
      return found;
    },
  };
}
