import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ListDetails,
  ListDetailsSchema,
  type ListQuery as PageRequest,
  TextQueryMethod,
} from "../../gen/iam/v1/search_pb.js";
import { rejectionOfFields } from "../domain/decision.ts";
import { idOf, makesClaim, type Noun, streamOf } from "../domain/noun.ts";
import type { ClaimGroup, NewEvent } from "../event.ts";
import type { Found } from "../execute/read-object.ts";
import type { Asker, Cursor, Filter, ListQuery } from "../store/query.ts";
import { callOf, Refused, refuse } from "./call.ts";
import { readPageToken, writePageToken } from "./page-token.ts";
import type { Service } from "./service.ts";

/** Entries of a page where the request does not say how many. */
const limitDefault = 100;

/**
 * UTF-8 bytes of the states on such a page, unless there is only one: with what is derived from
 * them, the answer has less than the 4 MiB that clients of gRPC take by default.
 */
export const defaultPageBytes = 3 * 1024 * 1024;

/**
 * Reads the page of a list that a request asks for: by default the first 100, or as many of them as
 * default clients can read, in descending order. Throws `Refused` where a page of so many entries
 * as were asked for is larger than an answer may be, where it cannot be found in time, and for a
 * page token of another list.
 */
export async function listPage<State, Event extends NewEvent>(
  { store }: Pick<Service, "store">,
  context: HandlerContext,
  noun: Noun<State, Event>,
  list: Pick<ListQuery, "parents" | "where" | "sortBy">,
  page: PageRequest | undefined,
): Promise<{ readonly details: ListDetails; readonly objects: readonly Found<State>[] }> {
  const limit = page?.limit ?? 0;
  const ordered = { ...list, kind: noun.kind, descending: !(page?.asc ?? false) };
  const found = await store.list({
    ...ordered,
    asker: askerOf(context),
    ...(page?.pageToken ? { after: cursorOf(ordered, page.pageToken) } : {}),
    offset: Number(page?.offset ?? 0n),
    limit: limit || limitDefault,
    ...(limit === 0 ? { stateBytes: defaultPageBytes } : {}),
  });
  if (found === undefined) refuse("SEARCH_TOO_LONG");
  const { total, objects, isCut, end, head } = found;
  if (isCut && limit !== 0) refuse("PAGE_TOO_LARGE");
  return {
    details: create(ListDetailsSchema, {
      totalResult: BigInt(total),
      processedSequence: head.position,
      viewTimestamp: timestampFromMs(head.timeMs),
      ...(end === undefined ? {} : { nextPageToken: writePageToken(ordered, end) }),
    }),
    objects: objects
      .map((stored) => ({
        id: idOf(noun, stored.stream),
        stored,
        state: JSON.parse(stored.state ?? "") as State,
      }))
      .filter(({ state }) => isHeld(noun, state, list.where)),
  };
}

/** Whether an object makes the claims that a filter asks for, as far as it asks for some. */
function isHeld<State>(
  noun: Pick<Noun<State, NewEvent>, "claims">,
  state: State,
  where: Filter | undefined,
): boolean {
  switch (where?.kind) {
    case "holds": {
      const { claims: kind, scopes } = where;
      return scopes.some((scope) => makesClaim(noun, state, { kind, scope }));
    }
    case "and":
      return where.filters.every((one) => isHeld(noun, state, one));
    default:
      return true;
  }
}

/** The organization whose caller asks: pages are read for each in turn. */
export function askerOf(context: HandlerContext): Asker {
  return { name: callOf(context).caller.organization, signal: context.signal };
}

function cursorOf(ordered: Parameters<typeof readPageToken>[0], token: string): Cursor {
  const cursor = readPageToken(ordered, token);
  if (cursor !== undefined) return cursor;
  refuseToken(
    "must be the next_page_token of a page of this list with the same sorting column and order",
  );
}

/** The refusal of a page token, which stands in a field. Throws it. */
export function refuseToken(description: string, field = "query.page_token"): never {
  const names = ["next_page_token"];
  throw new Refused(rejectionOfFields([{ field, description, names }]));
}

/**
 * The page of entries, given in the order of their creation, that a request asks for: as `listPage`
 * does, for what is part of one object, and has no page tokens. Throws `Refused` for one.
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  page: PageRequest | undefined,
): readonly Entry[] {
  if (page?.pageToken) refuseToken("must be empty: this list supports offsets only");
  const offset = Number(page?.offset ?? 0n);
  const ordered = page?.asc ? entries : entries.toReversed();
  return ordered.slice(offset, offset + (page?.limit || limitDefault));
}

/** The filter that matches what all of the filters match: every object where there are none. */
export function matchAll(filters: readonly Filter[]): Filter {
  return { kind: "and", filters };
}

/** The filter that matches nothing. */
export const matchNothing: Filter = { kind: "or", filters: [] };

/** The filter that matches every object where the condition holds, else nothing. */
export function matchIf(condition: boolean): Filter {
  return condition ? matchAll([]) : matchNothing;
}

/** Throws for a query that the contract should not have let through. */
export function assertKnownQuery(): never {
  throw new TypeError("a query without a condition was let through");
}

/** The filter that matches objects whose field is one of the texts. */
export function matchOne(field: string, values: readonly string[]): Filter {
  return { kind: "one-of", field, values };
}

/** The filter that matches the objects with these ids. */
export function matchIds(noun: { readonly kind: string }, ids: readonly string[]): Filter {
  return { kind: "streams", streams: ids.map((id) => streamOf(noun, id)) };
}

/**
 * The filter that matches the objects that hold claims of one of the groups, which are of one kind.
 * Where many match it costs less than `matchOne`, which reads the field of each.
 */
export function matchHolders(...groups: readonly ClaimGroup[]): Filter {
  const [first] = groups;
  const scopes = groups.map(({ scope }) => scope);
  return first === undefined ? matchNothing : { kind: "holds", claims: first.kind, scopes };
}

/** The filter that compares a field with a text in the way that a request asks for. */
export function matchText(field: string, value: string, method: TextQueryMethod): Filter {
  return { kind: "text", field, value, ...textMethods[method] };
}

const textMethods: {
  readonly [method in TextQueryMethod]: Pick<
    Extract<Filter, { readonly kind: "text" }>,
    "method" | "ignoreCase"
  >;
} = {
  [TextQueryMethod.EQUALS]: { method: "equals", ignoreCase: false },
  [TextQueryMethod.EQUALS_IGNORE_CASE]: { method: "equals", ignoreCase: true },
  [TextQueryMethod.STARTS_WITH]: { method: "starts-with", ignoreCase: false },
  [TextQueryMethod.STARTS_WITH_IGNORE_CASE]: { method: "starts-with", ignoreCase: true },
  [TextQueryMethod.CONTAINS]: { method: "contains", ignoreCase: false },
  [TextQueryMethod.CONTAINS_IGNORE_CASE]: { method: "contains", ignoreCase: true },
  [TextQueryMethod.ENDS_WITH]: { method: "ends-with", ignoreCase: false },
  [TextQueryMethod.ENDS_WITH_IGNORE_CASE]: { method: "ends-with", ignoreCase: true },
};
