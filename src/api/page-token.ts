import type { ListPlace, ListQuery } from "../store/query.ts";

/** What makes the order of a list, for which alone a place in it means something. */
type Order = Pick<ListQuery, "kind" | "sortBy" | "descending">;

/** The text for a place in an order; callers hand it in again and read nothing in it. */
export function writePageToken(order: Order, { first, folded }: ListPlace): string {
  const parts = [...partsOf(order), String(first), ...(folded === undefined ? [] : [folded])];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** The place that a token stands for; undefined where it is none of this order. */
export function readPageToken(order: Order, token: string): ListPlace | undefined {
  const parts = parse(Buffer.from(token, "base64url").toString());
  if (!Array.isArray(parts)) return undefined;
  const [first, folded, ...more] = parts.slice(partsOf(order).length);
  const isOfOrder = partsOf(order).every((part, i) => parts[i] === part);
  const isSorted = order.sortBy !== undefined;
  if (!isOfOrder || more.length > 0 || (typeof folded === "string") !== isSorted) return undefined;
  if (typeof first !== "string" || !/^[0-9]{1,18}$/.test(first)) return undefined;
  return { first: BigInt(first), ...(isSorted ? { folded } : {}) };
}

function partsOf({ kind, sortBy = "", descending = false }: Order): readonly unknown[] {
  return [kind, sortBy, descending];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
