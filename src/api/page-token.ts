import type { Cursor, ListQuery } from "../store/query.ts";

/** What makes the order of a list, for which alone a place in it means something. */
type Order = Pick<ListQuery, "kind" | "sortBy" | "descending">;

/** The text for a place in an order; callers hand it in again and read nothing in it. */
export function writePageToken(order: Order, { first, folded }: Cursor): string {
  const pieces = [...piecesOf(order), String(first), ...(folded === undefined ? [] : [folded])];
  return Buffer.from(JSON.stringify(pieces)).toString("base64url");
}

/** The place that a token stands for; undefined where it is none of this order. */
export function readPageToken(order: Order, token: string): Cursor | undefined {
  const pieces = parse(Buffer.from(token, "base64url").toString());
  if (!Array.isArray(pieces)) return undefined;
  const [first, folded, ...more] = pieces.slice(piecesOf(order).length);
  const isOfOrder = piecesOf(order).every((part, i) => pieces[i] === part);
  const isSorted = order.sortBy !== undefined;
  if (!isOfOrder || more.length > 0) return undefined;
  if (typeof folded !== (isSorted ? "string" : "undefined")) return undefined;
  if (typeof first !== "string" || !/^[0-9]{1,18}$/.test(first)) return undefined;
  return { first: BigInt(first), ...(isSorted ? { folded } : {}) };
}

function piecesOf({ kind, sortBy = "", descending = false }: Order): readonly unknown[] {
  return [kind, sortBy, descending];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
