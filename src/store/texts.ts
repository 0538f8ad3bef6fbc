import type { Claim, ClaimGroup, ObjectRow } from "../event.ts";
import { foldText } from "../text/fold.ts";

/**
 * A row of `texts`: a text in one of `lists`, which are named by a kind, a name and a parent. It is
 * a claim, a field of an object that lists see, or both, where they say the same in the same list.
 */
export interface TextRow {
  readonly kind: string;
  readonly name: string;
  readonly parent: string;
  readonly text: string;
  readonly isClaim: boolean;
  readonly isListed: boolean;
}

/** The list of a claim: `app.name` in a scope is the name of `app` under that parent. */
export function listOf({ kind, scope }: ClaimGroup): Pick<TextRow, "kind" | "name" | "parent"> {
  const dot = Math.max(kind.indexOf("."), 0);
  return { kind: kind.slice(0, dot), name: kind.slice(dot && dot + 1), parent: scope };
}

/** The rows of an object that lists see so, and that holds the claims. */
export function textRows(row: ObjectRow | undefined, claims: readonly Claim[]): readonly TextRow[] {
  const rows = row === undefined ? [] : fieldRows(row);
  for (const claim of claims.map(claimRow)) {
    const field = rows.findIndex((one) => hasSameKey(one, claim));
    if (field < 0) rows.push(claim);
    else rows[field] = { ...claim, isListed: true };
  }
  return rows;
}

function fieldRows({ kind, parent, fields }: ObjectRow): TextRow[] {
  // Of a member that is undefined, the JSON of the object's row has nothing.
  return Object.entries(fields).flatMap(([name, exact]) =>
    exact === undefined
      ? []
      : [{ kind, name, parent, text: foldText(exact), isClaim: false, isListed: true }],
  );
}

/** The row of a claim. */
export function claimRow(claim: Claim): TextRow {
  return { ...listOf(claim), text: claim.value, isClaim: true, isListed: false };
}

/** An object has few rows, so each is compared with each. */
function hasSameKey(one: TextRow, other: TextRow): boolean {
  return (
    one.text === other.text &&
    one.name === other.name &&
    one.kind === other.kind &&
    one.parent === other.parent
  );
}

/** The key of a row: its list, by three parts, and its text. */
export function textKey({ kind, name, parent, text }: TextRow): readonly string[] {
  return [kind, name, parent, text];
}

/** What tells rows of one text in one list apart: only one of them is a claim. */
export function tieOf(first: bigint, { isClaim }: TextRow): bigint {
  return isClaim ? 0n : first;
}

/** The rows of `some` that are not also, and as what they are, among the others. */
export function without(some: readonly TextRow[], others: readonly TextRow[]): readonly TextRow[] {
  return some.filter((row) => {
    const other = others.find((one) => hasSameKey(one, row));
    return other?.isClaim !== row.isClaim || other.isListed !== row.isListed;
  });
}
