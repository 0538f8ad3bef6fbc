import type Database from "better-sqlite3";
import { claimKey } from "../../claim-key.ts";
import {
  nameOfClaim,
  nameOfField,
  nameOfMessage,
  reportDifferences,
  unexplained,
} from "./derived.ts";
import { type Explain, fieldKey } from "./explain.ts";
import type { Owed } from "./owed.ts";
import { type Paged, type Pieces, readAll, visitRows } from "./pieces.ts";
import {
  type ClaimColumns,
  type FieldColumns,
  type MessageColumns,
  type OfObject,
  prepareClaims,
  prepareFields,
  prepareMessages,
} from "./rows.ts";
import { type Report, shown } from "./text.ts";

/** By what rows are told apart that nothing explains. */
interface Explaining {
  readonly owed: Owed;
  /** The last position that was there when the look at the streams began. */
  readonly end: bigint;
  readonly explain: Explain;
  /** The stream of what begins at a position. */
  readonly streamAt: (position: bigint) => string | undefined;
}

/** How many rows there are. */
export interface RowCounts {
  readonly claims: number;
  readonly fields: number;
  readonly messages: number;
}

/**
 * Reports the rows of claims, fields and messages that no events explain. An object has as many
 * claims and fields as were found for it: only where it has not, or has changed since, they are
 * looked at one by one, each at one moment with its events.
 */
export async function reportOrphans(
  db: Database.Database,
  pieces: Pieces,
  { owed, end, explain, streamAt }: Explaining,
  report: Report,
): Promise<RowCounts> {
  const isCounted = (row: OfObject): row is OfObject & { readonly first: bigint } =>
    row.position !== null && row.position <= end && row.first !== null && owed.knows(row.first);

  /** Counts the rows, and looks at those that cannot be. */
  async function walk<Key extends unknown[], Columns extends OfObject>(
    rows: Paged<Key, Columns>,
    look: (columns: Columns) => void,
  ): Promise<number> {
    let count = 0;
    const visit = (columns: Columns) => {
      count += 1;
      if (isCounted(columns)) owed.met(columns.first);
      else look(columns);
    };
    await readAll(pieces, visitRows(rows, visit));
    return count;
  }

  /** Looks at those that were counted where the count is another. */
  async function walkAgain<Key extends unknown[], Columns extends OfObject>(
    rows: Paged<Key, Columns>,
    look: (columns: Columns) => void,
  ): Promise<void> {
    const visit = (columns: Columns) => {
      if (isCounted(columns) && !owed.isEven(columns.first)) look(columns);
    };
    await readAll(pieces, visitRows(rows, visit));
  }

  const looks = prepareLooks(explain, streamAt, report);
  const [claims, fields] = await pieces(() => [prepareClaims(db), prepareFields(db)] as const);
  const counts = {
    claims: await walk(claims, looks.claim),
    fields: await walk(fields, looks.field),
  };
  if (!owed.isEvenAll()) {
    await walkAgain(claims, looks.claim);
    await walkAgain(fields, looks.field);
  }
  let messages = 0;
  const visit = (message: MessageColumns) => {
    messages += 1;
    looks.message(message);
  };
  await readAll(pieces, visitRows(await pieces(() => prepareMessages(db)), visit));
  return { ...counts, messages };
}

const noneAsked: ReadonlySet<string> = new Set();

/** How each kind of row is looked at: nothing is said where nobody knows what should be there. */
function prepareLooks(explain: Explain, streamAt: Explaining["streamAt"], report: Report) {
  return {
    claim: (claim: ClaimColumns) => {
      const { stream } = claim;
      if (explain(stream)?.claims.has(claimKey(claim)) ?? true) return;
      report(`${nameOfClaim(claim)}: no event explains that ${shown(stream)} holds it`);
    },
    field: (field: FieldColumns) => {
      const stream = streamAt(field.first);
      if (stream !== undefined && (explain(stream)?.fields.has(fieldKey(field)) ?? true)) return;
      report(`${nameOfField(field, stream)}: ${unexplained}`);
    },
    message: (message: MessageColumns) => {
      const { stream, type, owner, askedType, askedOwner } = message;
      const name = nameOfMessage(message);
      const asked = stream === null ? noneAsked : explain(stream)?.messages;
      if (asked?.has(name) === false) report(`${name}: ${unexplained}`);
      if (!asked?.has(name)) return;
      const expected = { type: askedType, owner: askedOwner };
      reportDifferences<typeof expected>(name, { type, owner }, expected, report);
    },
  };
}
