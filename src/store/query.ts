import type { LinkedEvent } from "../event.ts";

// What stores are asked when many objects or events are looked for, and what they answer.

/** The limits of a page of objects. */
export const listLimits = {
  /** UTF-8 bytes of all states of a page. */
  stateBytes: 16 * 1024 * 1024,
  /** Milliseconds from the question to the answer, where much has to be looked at. */
  searchMs: 5_000,
} as const;

/** The limits of one search through the log. */
export const searchLimits = {
  /** Positions that are looked at, matching or not; where streams are given, of theirs alone. */
  positions: 10_000,
  /** UTF-8 bytes of all payloads found. */
  payloadBytes: 4 * 1024 * 1024,
} as const;

/** Who asks for a page, where many do. */
export interface Asker {
  /** What pages are shared out by. */
  readonly name: string;
  /** Ends when nobody waits for the page any more. */
  readonly signal: AbortSignal;
}

/** A question for objects of a kind, in an order. */
export interface ListQuery {
  /** Left out, the service itself asks. */
  readonly asker?: Asker;
  readonly kind: string;
  /** The parents of the objects, any of these; left out, whatever their parents. */
  readonly parents?: readonly string[];
  readonly where?: Filter;
  /**
   * The field that they are sorted by, as folded text by code points, and among equals by creation.
   * Left out, by creation alone. Objects without the field are left out, though they are counted.
   */
  readonly sortBy?: string;
  /** The whole order backwards. */
  readonly descending?: boolean;
  /** The place in the same order behind which the page begins; left out, at its start. */
  readonly after?: Cursor;
  /** How many to skip from there. */
  readonly offset: number;
  readonly limit: number;
  /** UTF-8 bytes of all states; at most, and by default, `listLimits.stateBytes`. */
  readonly stateBytes?: number;
}

/** The place of an object in an order: it stays one whatever becomes of the object. */
export interface Cursor {
  /** The folded text of the field that is sorted by; left out where none is. */
  readonly folded?: string;
  /** The position of the first event of the object's stream. */
  readonly first: bigint;
}

/** A condition on an object. */
export type Filter =
  /**
   * A field against a text, folded on both sides; where case matters, also as it is. What is above
   * it comes behind it by code points. An object without the field does not match.
   */
  | {
      readonly kind: "text";
      readonly field: string;
      readonly method: "equals" | "starts-with" | "contains" | "ends-with" | "above";
      readonly ignoreCase: boolean;
      readonly value: string;
    }
  /** A field is one of these texts, exactly. */
  | { readonly kind: "one-of"; readonly field: string; readonly values: readonly string[] }
  | { readonly kind: "streams"; readonly streams: readonly string[] }
  /** The object holds claims of this kind in one of the scopes. */
  | { readonly kind: "holds"; readonly claims: string; readonly scopes: readonly string[] }
  /** All of the filters hold. An empty list matches every object. */
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  /** At least one of the filters holds. An empty list matches no object. */
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter };

/** The last event of the log; zeros where there is none. */
export interface Head {
  readonly position: bigint;
  readonly timeMs: number;
}

/** A question for events between two positions, both excluded; they meet every given condition. */
export interface EventQuery {
  /** Left out, the service itself asks. */
  readonly asker?: Asker;
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

/** A part of the events that match. */
export interface EventPage {
  readonly events: readonly LinkedEvent[];
  /**
   * The last position that was looked at: to go on, the next `after`, or `before` where the order
   * is descending.
   */
  readonly through: bigint;
  /** Whether everything has been looked at that was there. */
  readonly isEnd: boolean;
}
