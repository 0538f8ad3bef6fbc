import type { RecordedEvent } from "../event.ts";
import type { StoredObject } from "./store.ts";

// What stores are asked when many objects or events are looked for, and what they answer.

/** How much a page of objects may hold. */
export const listLimits = {
  /** UTF-8 bytes of all states of a page. */
  stateBytes: 16 * 1024 * 1024,
} as const;

/** How much one search through the log may do. */
export const searchLimits = {
  /** Positions that are looked at, matching or not; where streams are given, any. */
  positions: 10_000,
  /** UTF-8 bytes of all payloads found. */
  payloadBytes: 4 * 1024 * 1024,
} as const;

export interface ListQuery {
  readonly kind: string;
  /** What the objects are listed under, any of these; left out, everything. */
  readonly parents?: readonly string[];
  readonly where?: Filter;
  /**
   * The field that they are sorted by, as folded text by code points, and among equals by creation.
   * Left out, by creation alone. An object without the field is not listed.
   */
  readonly sortBy?: string;
  /** The whole order backwards. */
  readonly descending?: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A condition on an object. */
export type Filter =
  /**
   * A field against a text, folded on both sides; where case matters, also as it is. An object
   * without the field does not match.
   */
  | {
      readonly kind: "text";
      readonly field: string;
      readonly method: "equals" | "starts-with" | "contains" | "ends-with";
      readonly ignoreCase: boolean;
      readonly value: string;
    }
  /** A field is one of these texts, exactly. */
  | { readonly kind: "one-of"; readonly field: string; readonly values: readonly string[] }
  | { readonly kind: "streams"; readonly streams: readonly string[] }
  /** All hold; of none, that is so. */
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  /** One holds at least; of none, that is not so. */
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter };

export interface ObjectPage {
  /** How many match, on this page or not. */
  readonly total: number;
  readonly objects: readonly StoredObject[];
  /** Whether the page ended early because of what it holds. */
  readonly isCut: boolean;
  /** The moment that all of this is true of. */
  readonly head: Head;
}

/** The last event of the log; zeros where there is none. */
export interface Head {
  readonly position: bigint;
  readonly timeMs: number;
}

/** Events between two positions, both excluded, of which all that is given holds. */
export interface EventQuery {
  readonly after: bigint;
  readonly before?: bigint;
  readonly descending?: boolean;
  readonly limit: number;
  /** UTF-8 bytes of all payloads; at most, and by default, `searchLimits.payloadBytes`. */
  readonly payloadBytes?: number;
  readonly streams?: readonly string[];
  /** The kinds of streams: what stands before the first hyphen of their names. */
  readonly kinds?: readonly string[];
  readonly types?: readonly string[];
  readonly owner?: string;
  readonly actor?: string;
  /** Unix milliseconds, both included. */
  readonly fromMs?: number;
  readonly untilMs?: number;
}

export interface EventPage {
  readonly events: readonly RecordedEvent[];
  /**
   * The last position that was looked at: to go on, the next `after`, or `before` where the order
   * is descending.
   */
  readonly through: bigint;
  /** Whether everything has been looked at that was there. */
  readonly isEnd: boolean;
}
