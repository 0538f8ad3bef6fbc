import type { Claim, ClaimGroup, Envelope, NewEvent, ObjectRow } from "../event.ts";
import type { Rejection } from "./decision.ts";
import type { Asked } from "./sending.ts";

/**
 * A kind of thing that has an id and a life of its own, as pure functions over its events. The
 * stream of one such thing is `<kind>-<id>`.
 */
export interface Noun<State, Event extends NewEvent> {
  readonly kind: string;
  /** Every event of the noun with a sentence on what happened: `docs/events.md` is made from it. */
  readonly events: { readonly [type in Event["type"]]: string };
  /** The state after an event; undefined when it removed the thing. State is plain JSON. */
  evolve(state: State | undefined, event: Event & Envelope): State | undefined;
  /** Every claim the stream holds in this state. */
  claims(state: State): readonly Claim[];
  /**
   * By the kind of a claim, the refusal where another stream holds such a claim already. Claims of
   * fresh values have none.
   */
  readonly claimRefusals?: { readonly [claimKind: string]: Rejection };
  /** The row of the object that lists and filters see. */
  row(state: State): Omit<ObjectRow, "kind">;
  /** The payload fields, of whatever event, with secrets, sealed or hashed; they are not shown. */
  readonly secrets: readonly string[];
  /**
   * What somebody must be sent because of an event that led to the state; nothing where this is
   * left out.
   */
  messages?(event: Event, state: State): readonly Asked[];
  /** The message of an earlier event of the stream that this one says is sent or given up. */
  settles?(event: Event): Settled | undefined;
}

/** What nouns have in common that claim nothing and that no list shows. */
export const unlisted = { claims: () => [], row: () => ({ parent: "", fields: {} }) } as const;

/** The payload of an event that has no data besides its type. */
export type Nothing = { readonly [name: string]: never };

/** A message by the position of the event that asked for it and the field of its payload. */
export interface Settled {
  readonly position: bigint;
  readonly field: string;
}

/**
 * Whether an object itself makes such a claim. A row that says so is no proof: claims are found by
 * rows that need no key to be written.
 */
export function makesClaim<State>(
  { claims }: { claims(state: State): readonly Claim[] },
  state: State,
  { kind, scope, value }: ClaimGroup & Partial<Claim>,
): boolean {
  return claims(state).some(
    (one) =>
      one.kind === kind && one.scope === scope && (value === undefined || one.value === value),
  );
}

/** The name of the stream of the noun's object with this id. */
export function streamOf(noun: { readonly kind: string }, id: string): string {
  return `${noun.kind}-${id}`;
}

/** Whether a stream is one of this noun, by its name. */
export function isStreamOf(noun: { readonly kind: string }, stream: string): boolean {
  return stream.startsWith(streamOf(noun, ""));
}

/** The id in the name of a stream of this noun; throws a TypeError where it is another's. */
export function idOf(noun: { readonly kind: string }, stream: string): string {
  if (!isStreamOf(noun, stream)) throw new TypeError(`${stream} is no ${noun.kind}`);
  return stream.slice(streamOf(noun, "").length);
}

/** Whether a state says the same as an input in each field of that, which is plain JSON. */
export function saysSame<Input extends object>(state: Input, input: Input): boolean {
  return Object.entries(input).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(state[name as keyof Input]),
  );
}

/** The events that have these payloads, by their types. */
export type EventsOf<Payloads> = {
  readonly [Type in keyof Payloads]: { readonly type: Type; readonly payload: Payloads[Type] };
}[keyof Payloads];

/** The default branch of a switch over events: a missing case does not compile. Throws. */
export function unknownEvent(event: never): never {
  throw new TypeError(`no case for the event ${JSON.stringify(event)}`);
}

/**
 * The value, which earlier events must have made. Throws a TypeError where it is absent, which
 * means a damaged log.
 */
export function mustExist<State>(state: State | undefined): State {
  if (state === undefined) throw new TypeError("the first event of the stream is missing");
  return state;
}
