/** The vocabulary that the domain, execute and the stores share. It has no behaviour. */

/**
 * What a decision wants recorded: one fact, named in the past tense, with its plain JSON payload.
 */
export interface NewEvent {
  readonly type: string;
  readonly payload: object;
}

/**
 * What is known about every event besides its type and payload before it has a position: the
 * organization that owns its stream, the user who caused it, and when (Unix milliseconds).
 */
export interface Envelope {
  readonly owner: string;
  readonly actor: string;
  readonly timeMs: number;
}

/**
 * An event as the log holds it. Positions number the whole log from 1 without gaps, versions
 * number one stream from 1; the payload is the JSON text exactly as it was appended.
 */
export interface RecordedEvent extends Envelope {
  readonly position: bigint;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly payload: string;
}

/**
 * A value of which at most one stream may be the holder, such as a name within an organization.
 * The three parts are compared byte for byte and never glued; whoever wants case to be ignored
 * folds the value first.
 */
export interface Claim {
  readonly kind: string;
  readonly scope: string;
  readonly value: string;
}

/** What reads filter and sort by: derived from the state, rebuilt from the log at will. */
export interface ObjectRow {
  /** The noun, such as `app`. */
  readonly kind: string;
  /** The id of the object that this one lives in (an application's project), or empty. */
  readonly parent: string;
  readonly fields: { readonly [name: string]: string | number | boolean };
}
