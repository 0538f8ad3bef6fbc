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
 * organization that owns its stream, who caused it, and when (Unix milliseconds). Who caused it is
 * the id of a user, or the name of what is no user.
 */
export interface Envelope {
  readonly owner: string;
  readonly actor: string;
  readonly timeMs: number;
}

/**
 * An event as the log holds it. Positions number the whole log from 1 without gaps, versions
 * number one stream from 1; the payload is the JSON text exactly as it was appended, and empty once
 * it was erased.
 */
export interface RecordedEvent extends Envelope {
  readonly position: bigint;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly payload: string;
}

/** An event with the link that stands for it and for the whole log before it. */
export interface LinkedEvent extends RecordedEvent {
  /** 32 bytes: see `store/chain/link.ts`. */
  readonly link: Uint8Array;
}

/** All claims of one kind in one scope, whatever their values. */
export interface ClaimGroup {
  readonly kind: string;
  readonly scope: string;
}

/** Those of a group whose values begin so; left out, all. */
export interface ClaimsWithin extends ClaimGroup {
  readonly prefix?: string;
}

/**
 * A value that at most one stream may hold, for example a name within an organization. The three
 * parts are compared byte for byte and never joined. Fold the value first to ignore case.
 */
export interface Claim extends ClaimGroup {
  readonly value: string;
}

/**
 * How much of something may be asked for, for example SMS to the number that is its value: `most`
 * at once, then one more after each `perMs / most`, so `most` per `perMs` in the long run.
 */
export interface Quota extends Claim {
  /** A whole number, at least 1. */
  readonly most: number;
  /** Whole milliseconds. */
  readonly perMs: number;
  /** Whether what finds no room is put off until there is some; otherwise it is refused. */
  readonly isPatient: boolean;
}

/** What reads filter and sort by: derived from the state, rebuilt from the log at will. */
export interface ObjectRow {
  /** The noun, like `app`. */
  readonly kind: string;
  /**
   * What the object is listed under: an application's project, else the organization that it
   * belongs to. Empty for what belongs to the instance.
   */
  readonly parent: string;
  /** Texts by name; what says nothing of an object is left out. */
  readonly fields: { readonly [name: string]: string };
}
