import type Database from "better-sqlite3";
import type { Claim } from "../../../event.ts";
import { sha256 } from "../../chain/hash.ts";
import { claimKey } from "../../claim-key.ts";
import type { EventColumns } from "../../row.ts";
import { isField, queriesOf } from "../../verify/queries.ts";
import type { LogReader, Moment } from "../../verify/reader.ts";
import {
  emptySize,
  fieldKey,
  type LineColumns,
  type LogSize,
  messageKey,
  type ObjectColumns,
  type PagedRows,
} from "../../verify/rows.ts";
import { type PassedColumns, passedText, prepareLink, toPassed } from "../chain.ts";
import { objectColumns } from "../object-row.ts";
import { eventColumns, prepareRows, toEvent } from "../row.ts";
import { prepareTexts } from "../texts.ts";
import type { MayGoOn, Pieces } from "./pieces.ts";

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
    linkAt: async (position) => queries.linkAt(position),
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

/** The queries of a verification, besides those that read pages of rows. */
function prepareQueries(db: Database.Database) {
  const { holdersOf } = prepareTexts(db);
  const of = <Parameters extends unknown[], Row>(text: string) =>
    prepareRows<Parameters, Row>(db, text);
  const one = <Parameters extends unknown[], Value>(text: string) =>
    of<Parameters, Value>(text).pluck();
  const inStreams = (where: string) =>
    `SELECT ${eventColumns} FROM events ${where} ORDER BY events.stream, version`;
  return {
    linkAt: prepareLink(db),
    size: of<[], LogSize>(texts.size),
    lines: of<[], LineColumns>(texts.linesWithoutTurn),
    events: of<[bigint, bigint], PassedColumns>(passedText),
    allStreams: of<[], EventColumns>(inStreams("")),
    inStreams: of<[string], EventColumns>(inStreams("WHERE events.stream > ?")),
    ofStream: of<[string, bigint], EventColumns>(
      `SELECT ${eventColumns} FROM events WHERE stream = ? AND version > ? ORDER BY version`,
    ),
    object: of<[string], ObjectColumns>(`SELECT ${objectColumns} FROM objects WHERE stream = ?`),
    holderOf: (claim: Claim) => holdersOf([claim])[0] ?? undefined,
    field: one<[string, string, string, string, bigint], string>(
      `SELECT '' FROM lists AS l JOIN texts AS t ON t.list = l.number
       WHERE l.kind = ? AND l.parent = ? AND l.name = ? AND t.text = ? AND t.first = ?
         AND ${isField}`,
    ),
    pending: one<[bigint, string], string>(
      "SELECT '' FROM messages WHERE position = ? AND field = ?",
    ),
  };
}

/** What is asked in the words of both stores. */
const texts = queriesOf({
  ...{ log: "", derived: "" },
  placeholder: () => "?",
  textsKey: ["list", "text", "tie"],
  isCounted: "TRUE",
});
