import { claimKey } from "../claim-key.ts";
import {
  nameOfClaim,
  nameOfField,
  nameOfMessage,
  reportDifferences,
  unexplained,
} from "./derived.ts";
import { explain, type Folding } from "./explain.ts";
import { type LogReader, type RowCounts, walkRows } from "./reader.ts";
import { claimText, fieldKey, fieldText, messageKey, messageText, type PagedRows } from "./rows.ts";
import type { Sums } from "./sums.ts";
import { legible, type Report } from "./text.ts";

type Followed = "claims" | "fields" | "messages";

/** A table whose rows follow from streams. */
interface Table<Name extends Followed, Row = PagedRows[Name]> {
  readonly name: Name;
  /** One text for all that a row says. */
  textOf(row: Row): string;
  keyOf(row: Row): string;
  /** What is said of one for which there is no reason in the log. */
  orphan(row: Row): string;
  /** Compares one that is where it should be with its event. */
  compare?(row: Row, report: Report): void;
}

const claims: Table<"claims"> = {
  name: "claims",
  textOf: claimText,
  keyOf: claimKey,
  orphan: (claim) => {
    const whose = claim.stream === null ? "" : ` that ${legible(claim.stream)} holds`;
    return `${nameOfClaim(claim)}: no event explains${whose} it`;
  },
};
const fields: Table<"fields"> = {
  name: "fields",
  textOf: fieldText,
  keyOf: fieldKey,
  orphan: (field) => `${nameOfField(field, field.stream ?? undefined)}: ${unexplained}`,
};
const messages: Table<"messages"> = {
  name: "messages",
  textOf: messageText,
  keyOf: messageKey,
  orphan: (message) => `${nameOfMessage(message)}: ${unexplained}`,
  compare: (message, report) => {
    const { type, owner, askedType, askedOwner } = message;
    const expected = { type: askedType, owner: askedOwner };
    reportDifferences<typeof expected>(nameOfMessage(message), { type, owner }, expected, report);
  },
};

/** Adds up all rows that there are; answers how many. */
export async function sumRows(reader: LogReader, sums: Sums): Promise<RowCounts> {
  async function add<Name extends Followed>({ name, textOf }: Table<Name>) {
    let count = 0;
    await walkRows(reader, name, (rows) => {
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
  async function visit<Name extends Followed>(table: Table<Name>) {
    await walkRows(reader, table.name, async (rows, moment) => {
      const chosen = rows.filter(({ stream }) => !sums.isEven(stream ?? ""));
      const streams = new Set(chosen.flatMap(({ stream }) => stream ?? []));
      const explained = await explain(moment, streams, folding);
      for (const row of chosen) {
        const [key, { stream }] = [table.keyOf(row), row];
        const isExplained = stream === null ? false : explained.get(stream)?.has(key);
        if (isExplained === false) report(table.orphan(row));
        else if (isExplained) table.compare?.(row, report);
      }
    });
  }
  await visit(claims);
  await visit(fields);
  await visit(messages);
}
