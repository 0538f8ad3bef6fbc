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
import { type Explained, explain, type Folding, nothing } from "./explain.ts";
import { type LogReader, type Moment, type RowCounts, walk } from "./reader.ts";
import {
  type ClaimRow,
  claimText,
  type FieldRow,
  fieldPlace,
  fieldText,
  type MessageRow,
  messageKey,
  messageText,
} from "./rows.ts";
import type { Sums } from "./sums.ts";
import { type Report, shown } from "./text.ts";

/** A table whose rows follow from streams. */
interface Table<Row extends { readonly stream: string | null }> {
  read(moment: Moment, after: Row | undefined): Promise<readonly Row[]>;
  /** One text for all that a row says. */
  textOf(row: Row): string;
}

const claims: Table<ClaimRow> = {
  read: (moment, after) => moment.claims(after),
  textOf: (claim) => (isFound(claim) ? claimText(claim) : `not found ${claimText(claim)}`),
};
const fields: Table<FieldRow> = {
  read: (moment, after) => moment.fields(after),
  textOf: fieldText,
};
const messages: Table<MessageRow> = {
  read: (moment, after) => moment.messages(after),
  textOf: messageText,
};

/** Adds up all rows that there are; answers how many. */
export async function sumRows(reader: LogReader, sums: Sums): Promise<RowCounts> {
  async function add<Row extends { readonly stream: string | null }>({ read, textOf }: Table<Row>) {
    let count = 0;
    await walk<Row>(reader, read, (rows) => {
      count += rows.length;
      for (const row of rows) sums.find(row.stream ?? "", textOf(row));
    });
    return count;
  }
  return { claims: await add(claims), fields: await add(fields), messages: await add(messages) };
}

/**
 * Reports the rows that no events explain. Those are looked at whose sums are not even, each at one
 * moment with the events of its stream; nothing is said where nobody knows what should be there.
 */
export async function reportOrphans(
  reader: LogReader,
  { sums, folding }: { readonly sums: Sums; readonly folding: Folding },
  report: Report,
): Promise<void> {
  async function visit<Row extends { readonly stream: string | null }>(
    { read }: Table<Row>,
    look: (row: Row, explained: Explained | undefined) => void,
  ): Promise<void> {
    await walk<Row>(reader, read, async (rows, moment) => {
      const chosen = rows.filter(({ stream }) => !sums.isEven(stream ?? ""));
      const streams = new Set(chosen.flatMap(({ stream }) => stream ?? []));
      const explanations = await explain(moment, streams, folding);
      for (const row of chosen) {
        look(row, row.stream === null ? nothing : explanations.get(row.stream));
      }
    });
  }
  await visit(claims, (claim, explained) => {
    if (isFound(claim) && (explained?.claims.has(claimKey(claim)) ?? true)) return;
    report(`${nameOfClaim(claim)}: no event explains that ${shown(claim.stream)} holds it`);
  });
  await visit(fields, (field, explained) => {
    if (explained?.fields.has(fieldPlace(field)) ?? true) return;
    report(`${nameOfField(field, field.stream ?? undefined)}: ${unexplained}`);
  });
  await visit(messages, (message, explained) => {
    const { type, owner, askedType, askedOwner } = message;
    const name = nameOfMessage(message);
    const isAsked = explained?.messages.has(messageKey(message));
    if (isAsked === false) report(`${name}: ${unexplained}`);
    if (!isAsked) return;
    const expected = { type: askedType, owner: askedOwner };
    reportDifferences<typeof expected>(name, { type, owner }, expected, report);
  });
}

/** Whether a look-up of a claim finds its row. */
function isFound(claim: ClaimRow): boolean {
  return claim.digest === undefined || isSame(claim.digest, digestOfKey(claim));
}
