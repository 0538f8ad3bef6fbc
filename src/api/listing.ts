import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ListDetails,
  ListDetailsSchema,
  type ListQuery as PageRequest,
  TextQueryMethod,
} from "../../gen/iam/v1/search_pb.js";
import { idOf, type Noun, streamOf } from "../domain/noun.ts";
import type { NewEvent } from "../event.ts";
import type { Filter, ListQuery } from "../store/query.ts";
import type { StoredObject } from "../store/store.ts";
import { Refused } from "./call.ts";
import type { Service } from "./service.ts";

/** Entries of a page where the request does not say how many. */
const limitDefault = 100;

/** An object that was read. */
export interface Found<State> {
  readonly id: string;
  readonly stored: StoredObject;
  readonly state: State;
}

/** The object with an id; undefined where there is none, or none any more. */
export async function findObject<State, Event extends NewEvent>(
  { store }: Pick<Service, "store">,
  noun: Noun<State, Event>,
  id: string,
): Promise<Found<State> | undefined> {
  const [stored] = await store.load([streamOf(noun, id)]);
  return stored?.state === undefined
    ? undefined
    : { id, stored, state: JSON.parse(stored.state) as State };
}

/**
 * The page of a list that a request asks for: by default the first 100, in descending order. Throws
 * `Refused` where it is larger than an answer may be.
 */
export async function listPage<State, Event extends NewEvent>(
  { store }: Pick<Service, "store">,
  noun: Noun<State, Event>,
  list: Pick<ListQuery, "parents" | "where" | "sortBy">,
  page: PageRequest | undefined,
): Promise<{ readonly details: ListDetails; readonly objects: readonly Found<State>[] }> {
  const { total, objects, isCut, head } = await store.list({
    ...list,
    kind: noun.kind,
    descending: !(page?.asc ?? false),
    offset: Number(page?.offset ?? 0n),
    limit: page?.limit || limitDefault,
  });
  if (isCut) {
    const message = "The page is larger than 16 MiB: ask for fewer entries.";
    throw new Refused({ reason: "PAGE_TOO_LARGE", message });
  }
  return {
    details: create(ListDetailsSchema, {
      totalResult: BigInt(total),
      processedSequence: head.position,
      viewTimestamp: timestampFromMs(head.timeMs),
    }),
    objects: objects.map((stored) => ({
      id: idOf(noun, stored.stream),
      stored,
      state: JSON.parse(stored.state ?? "") as State,
    })),
  };
}

/** All conditions of a request together; a query without one is none. */
export function allOf(filters: readonly Filter[]): Filter {
  return { kind: "and", filters };
}

/** What nothing is. */
export const nothing: Filter = { kind: "or", filters: [] };

export function everythingIf(condition: boolean): Filter {
  return condition ? allOf([]) : nothing;
}

/** For a query that the contract does not let through. */
export function unknownQuery(): TypeError {
  return new TypeError("a query without a condition was let through");
}

export function oneOf(field: string, values: readonly string[]): Filter {
  return { kind: "one-of", field, values };
}

export function textFilter(field: string, value: string, method: TextQueryMethod): Filter {
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
