import type { Claim, ClaimGroup, ClaimsWithin, ObjectRow, Quota, RecordedEvent } from "../event.ts";
import type { Remember, RememberedAnswer } from "./answer.ts";
import type { Artifacts } from "./artifact.ts";
import type { Condition } from "./condition.ts";
import type { Kept } from "./kept.ts";
import type { LeasedMessage, LeaseQuery, MessageKey, NewMessage } from "./message.ts";
import type { Cursor, EventPage, EventQuery, Head, ListQuery } from "./query.ts";

/**
 * The home of events. The comments here are the contract; `test/store/conformance.ts` has a case
 * for each clause and every backend passes all of them.
 *
 * What is kept is sealed and checked whenever it is read (`chain/`): whatever would answer with, or
 * write on from, a row or an event that is not what was last written rejects with `Forged`, which
 * operators are told, and a message of such an event is leased to nobody.
 *
 * After `close`, every other method rejects with `StoreUnavailable`; closing again does no harm.
 */
export interface Store extends Kept {
  /** The id of the log, the same for as long as there is one. */
  readonly log: string;

  /**
   * The current object of each stream, in the order asked for: one row per stream, no replay.
   * A stream that was never written has version 0 and no state.
   */
  load(streams: readonly string[]): Promise<readonly StoredObject[]>;

  /**
   * The version of each stream now, in the order asked for, which costs less than its object: for
   * callers that cache the object with its version.
   */
  versions(streams: readonly string[]): Promise<readonly number[]>;

  /**
   * Records events in one or more streams: all or nothing, together with the streams' claims,
   * objects and pending messages. Resolves after the commit, so what it says is on disk, refusals
   * included: they too may rest on what another append of the same commit wrote.
   *
   * - `expected` is the version the stream has now; 0 means that it must not exist.
   * - `unchanged` names streams whose version the decision relied on.
   * - `behindMs` bounds how far its time is before that of the event that is the last by then.
   * - Within one append all releases happen before the first take.
   * - Messages count against their quotas one after the other, see `useQuota`, with what other
   *   appends used, of whichever process and however often the store was opened anew since.
   * - `remember` has the answer of the append remembered under a key, which is taken as the events
   *   are written: an append under one that is taken is refused, before anything else is looked at.
   *
   * A refused append writes nothing, but that a clock was set back, and disturbs no other.
   * Positions follow the order of commits and have no gaps. Rejects with `StoreUnavailable` when
   * it surely did not happen, because there is no room for it or the commit cannot be had in
   * time, and with `OutcomeUnknown` when the commit failed and may still appear once the store
   * is opened anew; from then on this store writes nothing, and rejects what would with
   * `StoreUnavailable`. Rejects with `RangeError` when one append is past a limit of
   * `appendLimits`. What no correct caller does is an `Error` for that append alone: to release
   * a claim that the stream does not hold, to name another owner, to change a stream twice or
   * without an event, to bring other attachments than its events name, to give one of state and row
   * without the other, or to ask for the message of an event that is not there.
   */
  append(append: Append): Promise<AppendResult>;

  /** The stream that holds the claim. */
  find(claim: Claim): Promise<string | undefined>;

  /**
   * The streams that hold claims of a kind in a scope, all or those whose values have a prefix: how
   * many there are, and the first `limit` of them by their first events.
   */
  holders(claims: ClaimsWithin, limit: number): Promise<Holders>;

  /**
   * The objects of one kind that have a state and match, with the number of all that do, as of one
   * moment. The page holds at most `limit` of them after skipping `offset`; it ends early where its
   * states would pass `stateBytes`, unless that is the first. A page at the start or behind a place
   * costs the same however many objects there are, in every order under one parent. What has to
   * look at many holds nobody else up, and resolves with undefined where it is not done within
   * `listLimits.searchMs`; it rejects with `StoreUnavailable` where too many wait for that already.
   */
  list(query: ListQuery): Promise<ObjectPage | undefined>;

  /**
   * Events of one stream with a version above `after`, in order, at most `limit`, to explain or
   * export one object. Commands load objects instead.
   */
  readStream(stream: string, after: number, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Events of the whole log with a position above `after`, in order, at most `limit`, to export or
   * copy the log. Once a reader has seen a position, nothing appears at or below it later. Handlers
   * search instead, whose pages are bounded in bytes, too.
   */
  readAll(after: bigint, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Events of the whole log that match, in the order asked for, at most `limit`. One call looks
   * only so far and holds only so much: it ends early after `searchLimits.positions` positions, of
   * the streams alone where streams are given, and before an event that would take its payloads
   * past `payloadBytes` unless that is the first. To read on, ask again from the position that it
   * answers.
   */
  search(query: EventQuery): Promise<EventPage>;

  /**
   * The bytes that an event names by this SHA-256, in hexadecimal; undefined where none has. They
   * stay for as long as the event. Rejects with `Forged` where they do not have this hash.
   */
  attachment(digest: string): Promise<Uint8Array | undefined>;

  /** The end of the log now. */
  head(): Promise<Head>;

  /**
   * The link of the event at a position, which stands for all up to it: see `chain/link.ts`.
   * Undefined where there is no such event.
   */
  linkAt(position: bigint): Promise<Uint8Array | undefined>;

  /**
   * At most `limit` pending messages that are due. Owners take turns, separately for each type of
   * event and over all processes. The owner who has waited longest for a turn gets the message that
   * has been due longest there, and then stands behind all others. So nobody waits for more than
   * one message of each of them. What is leased is not due again before `nowMs + leaseMs`: no two
   * callers get the same message in that time, whatever process they are in, and when one of them
   * dies, another gets it afterwards.
   */
  leaseMessages(query: LeaseQuery): Promise<readonly LeasedMessage[]>;

  /**
   * Makes a leased message due at another time, sooner or later than its lease says. Nothing
   * happens when the message was settled, or when somebody leased it anew since.
   */
  postponeMessage(message: LeasedMessage, dueMs: number): Promise<void>;

  /**
   * What is remembered under the key at this time; undefined where nothing is. An answer is kept
   * for `answerLimits.keptMs` after its append, and its secret for `secretMs`; one that is not
   * among the newest `ofCaller` of its caller is forgotten sooner. Answers follow from no event:
   * whatever makes objects anew from the log drops them.
   */
  recall(key: string, nowMs: number): Promise<RememberedAnswer | undefined>;

  /**
   * Removes answers and secrets whose time is over, so many at a time. Resolves to whether there
   * may be more.
   */
  forgetAnswers(nowMs: number): Promise<boolean>;

  /** What logging in leaves behind; to make the rest anew from the log leaves it as it is. */
  readonly artifacts: Artifacts;

  /** Resolves when the store can read and write; rejects with `StoreUnavailable` otherwise. */
  ready(): Promise<void>;

  /** How the storage fares at this time, whether it is ready or not. */
  condition(nowMs: number): Promise<Condition>;

  /** Finishes the appends that were accepted, then lets go of every resource. */
  close(): Promise<void>;
}

/** The most that one append may carry; a backend may rely on nothing larger. */
export const appendLimits = {
  /** Events over all changes. */
  events: 1_000,
  /** UTF-8 bytes of one payload or one state, and bytes of one attachment. */
  textBytes: 4 * 1024 * 1024,
} as const;

/** Objects of one kind, and how many there are. */
export interface ObjectPage {
  /** The number of objects that match, on this page or not. */
  readonly total: number;
  readonly objects: readonly StoredObject[];
  /** Whether the page ended early because of what it holds. */
  readonly isCut: boolean;
  /** The place behind which the next page begins; undefined where nothing follows. */
  readonly end: Cursor | undefined;
  /** The end of the log at the moment of the answer. */
  readonly head: Head;
}

/** One stream as the last append left it. */
export interface StoredObject {
  readonly stream: string;
  /** The version of its last event; 0 when the stream does not exist. */
  readonly version: number;
  /** The organization that owns the stream, fixed by its first event; empty at version 0. */
  readonly owner: string;
  /** The state as JSON text; undefined when there is no stream or the object was removed. */
  readonly state: string | undefined;
  /** Times of the first and the last event in Unix milliseconds; 0 at version 0. */
  readonly createdMs: number;
  readonly changedMs: number;
  /** Position of the last event; 0 at version 0. */
  readonly position: bigint;
}

/** The change of one stream in an append. */
export interface Change {
  readonly stream: string;
  readonly expected: number;
  /** The organization that owns the stream; the same in every append to it. */
  readonly owner: string;
  /** At least one; payloads are JSON texts and are kept byte for byte. */
  readonly events: readonly { readonly type: string; readonly payload: string }[];
  /** The state after the events as JSON text, or undefined when they removed the object. */
  readonly state: string | undefined;
  /** The row of the object that reads see; undefined when the events removed it. */
  readonly row: ObjectRow | undefined;
  readonly take: readonly Claim[];
  readonly release: readonly Claim[];
  /**
   * What becomes a pending message. When the events removed the object, the stream has no pending
   * message any more.
   */
  readonly messages: readonly NewMessage[];
  /** Messages of this stream that are pending no longer; those that were not do no harm. */
  readonly settles: readonly MessageKey[];
}

/** A set of changes that is written at once: see `Store.append`. */
export interface Append {
  readonly actor: string;
  /** Unix milliseconds, the time of every event in it. */
  readonly timeMs: number;
  /** Milliseconds by which the last event of the log may be later; undefined for any number. */
  readonly behindMs?: number;
  /** At least one; no stream twice. */
  readonly changes: readonly Change[];
  readonly unchanged: readonly { readonly stream: string; readonly version: number }[];
  /** The number of streams that held claims of a group when the decision was made. */
  readonly tallies: readonly (ClaimGroup & { readonly total: number })[];
  readonly remember?: Remember;
  /** The bytes that its events name, each once and no others: see `attachedTo`. */
  readonly attachments?: readonly Uint8Array[];
  /** Families of artifacts that are removed with it. */
  readonly families?: readonly string[];
  /** Users who are removed from what is beside the log: artifacts by `ofUser`, and answers. */
  readonly users?: readonly string[];
}

/** The end of an append. */
export type AppendResult =
  | {
      readonly kind: "appended";
      readonly events: readonly RecordedEvent[];
      /** Quotas of which it used the last, unless one said so less than their time ago. */
      readonly spent: readonly Quota[];
    }
  /** The stream is not at the version that the append expected or relied on. */
  | { readonly kind: "version-conflict"; readonly stream: string }
  /** Not as many streams hold claims of the group as the append relied on. */
  | { readonly kind: "tally-conflict"; readonly group: ClaimGroup }
  /** An answer is remembered under the key that the append wanted to take. */
  | { readonly kind: "key-taken" }
  /** Another stream holds a claim that the append wanted to take. */
  | { readonly kind: "claim-taken"; readonly claim: Claim }
  /** The last event of the log is later than the append by more than its `behindMs`. */
  | { readonly kind: "time-behind" }
  /** A quota that is not patient has no room for a message; it will have some at that time. */
  | { readonly kind: "quota-spent"; readonly quota: Quota; readonly roomMs: number };

/** The streams that hold claims of a group. */
export interface Holders {
  readonly total: number;
  readonly streams: readonly string[];
}

/** Why a store cannot serve: it may later, or only once somebody has seen to it. */
export type WhyUnavailable =
  /** For the moment, or for as long as the machine has no room or no access. */
  | "passing"
  /** What lies where the log was opened is not what was opened; nothing is written any more. */
  | "file-replaced"
  /** The log is not the one that this process has written to, nor does it go on from it. */
  | "history-changed"
  /** The clock of the system is behind the log, see `log/clock.ts`. */
  | "clock-went-back"
  /** Too many lists wait, most of them of who asks: this says nothing of the storage. */
  | "lists-overloaded";

/** The store cannot serve now (busy past the deadline, disk full, closed), and why. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly why: WhyUnavailable;

  constructor(
    message: string,
    { why = "passing", ...options }: ErrorOptions & { readonly why?: WhyUnavailable } = {},
  ) {
    super(message, options);
    this.why = why;
  }
}

/** Nobody knows whether the append happened: who opens the store anew finds all of it or none. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}
