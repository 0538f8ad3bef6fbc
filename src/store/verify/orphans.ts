import { isSame } from "../chain/chain.ts";
import { claimKey } from "../claim-key.ts";
import { digestOfKey } from "../digest.ts";
import {
  nameOfClaim,
  nameOfField,
  nameOfMessage,
  reportDifferences,
  unexplained,
} from "./derived.ts";
import { type Explained, explain, type Folding } from "./explain.ts";
import type { Owed } from "./owed.ts";
import { type LogReader, type Moment, type RowCounts, walk } from "./reader.ts";
import {
  type ClaimRow,
  type FieldRow,
  fieldKey,
  type MessageRow,
  messageKey,
  type OfObject,
} from "./rows.ts";
import { type Report, shown } from "./text.ts";

/** By what rows are told apart that nothing explains. */
interface Explaining {
  readonly owed: Owed;
  /** The last position that was there when the look at the streams began. */
  readonly end: bigint;
  readonly folding: Folding;
}

/** How rows of a table are looked at. */
interface Looking<Row> {
  read(moment: Moment, after: Row | undefined): Promise<readonly Row[]>;
  /** The stream of each row; undefined where it is of none. */
  streamsOf(rows: readonly Row[], moment: Moment): Promise<ReadonlyMap<Row, string | undefined>>;
  /** Says what is wrong with a row, by what its stream explains, where that can be known. */
  look(row: Row, explained: Explained | undefined, stream: string | undefined): void;
}

/**
 * Reports the rows of claims, fields and messages that no events explain. An object has as many
 * claims and fields as were found for it: only where it has not, or has changed since, they are
 * looked at one by one, each at one moment with its events.
 */
export async function reportOrphans(
  reader: LogReader,
  { owed, end, folding }: Explaining,
  report: Report,
): Promise<RowCounts> {
  const isCounted = (row: OfObject): row is OfObject & { readonly first: bigint } =>
    row.position !== null && row.position <= end && row.first !== null && owed.knows(row.first);

  /** Looks at those rows of a table that are chosen; answers how many it has. */
  async function visit<Row>(
    { read, streamsOf, look }: Looking<Row>,
    isChosen: (row: Row) => boolean,
  ): Promise<number> {
    let count = 0;
    await walk<Row>(reader, read, async (rows, moment) => {
      count += rows.length;
      const chosen = rows.filter(isChosen);
      if (chosen.length === 0) return;
      const streams = await streamsOf(chosen, moment);
      const named = [...streams.values()].filter((stream) => stream !== undefined);
      const explanations = await explain(moment, new Set(named), folding);
      for (const row of chosen) {
        const stream = streams.get(row);
        look(row, stream === undefined ? undefined : explanations.get(stream), stream);
      }
    });
    return count;
  }

  /** Counts a row where that can be done; answers whether it cannot. */
  const isUncounted = (row: OfObject) => {
    if (!isCounted(row)) return true;
    owed.met(row.first);
    return false;
  };
  /** Whether a row was counted, and the count is another. */
  const isUneven = (row: OfObject) => isCounted(row) && !owed.isEven(row.first);

  const tables = tablesOf(report);
  const claims = await visit(tables.claims, isUncounted);
  const fields = await visit(tables.fields, isUncounted);
  if (!owed.isEvenAll()) {
    await visit(tables.claims, isUneven);
    await visit(tables.fields, isUneven);
  }
  return { claims, fields, messages: await visit(tables.messages, () => true) };
}

/** Whether who looks for a claim finds its row. */
function isFound(claim: ClaimRow): boolean {
  return claim.digest === undefined || isSame(claim.digest, digestOfKey(claim));
}

/** How each kind of row is looked at: nothing is said where nobody knows what should be there. */
function tablesOf(report: Report) {
  const claims: Looking<ClaimRow> = {
    read: (moment, after) => moment.claims(after),
    streamsOf: async (rows) => new Map(rows.map((row) => [row, row.stream])),
    look: (claim, explained) => {
      if (isFound(claim) && (explained?.claims.has(claimKey(claim)) ?? true)) return;
      report(`${nameOfClaim(claim)}: no event explains that ${shown(claim.stream)} holds it`);
    },
  };
  const fields: Looking<FieldRow> = {
    read: (moment, after) => moment.fields(after),
    streamsOf: async (rows, moment) => {
      const streams = await moment.streamsAt(rows.map(({ first }) => first));
      return new Map(rows.map((row) => [row, streams.get(row.first)]));
    },
    look: (field, explained, stream) => {
      if (stream !== undefined && (explained?.fields.has(fieldKey(field)) ?? true)) return;
      report(`${nameOfField(field, stream)}: ${unexplained}`);
    },
  };
  const messages: Looking<MessageRow> = {
    read: (moment, after) => moment.messages(after),
    streamsOf: async (rows) => new Map(rows.map((row) => [row, row.stream ?? undefined])),
    look: (message, explained, stream) => {
      const { type, owner, askedType, askedOwner } = message;
      const name = nameOfMessage(message);
      const isAsked = stream === undefined ? false : explained?.messages.has(messageKey(message));
      if (isAsked === false) report(`${name}: ${unexplained}`);
      if (!isAsked) return;
      const expected = { type: askedType, owner: askedOwner };
      reportDifferences<typeof expected>(name, { type, owner }, expected, report);
    },
  };
  return { claims, fields, messages };
}
