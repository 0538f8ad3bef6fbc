import type { Claim, ClaimsWithin, ObjectRow, RecordedEvent } from "../../../src/event.ts";
import type { RememberedAnswer } from "../../../src/store/answer.ts";
import type { KeptArtifact } from "../../../src/store/artifact.ts";
import type { MessageKey } from "../../../src/store/message.ts";
import type { Head } from "../../../src/store/query.ts";
import type { Usage } from "../../../src/store/quota.ts";
import type { Holders, StoredObject } from "../../../src/store/store.ts";

/** An object as it is kept: with its row, and where its stream began. */
export interface KeptObject extends StoredObject {
  readonly row: ObjectRow | undefined;
  readonly first: bigint;
}

/** A claim, and the stream that holds it. */
export interface KeptClaim extends Claim {
  readonly stream: string;
}

/** A message that waits. */
export interface KeptMessage extends MessageKey {
  dueMs: number;
  sinceMs: number;
  attempts: number;
}

/** Where an owner stands among those whose messages of one type wait. */
export interface Turn {
  /** Since when it stands there. */
  readonly sinceMs: number;
  readonly number: number;
}

/** An answer, with whose it is and since when. */
export interface KeptAnswer extends RememberedAnswer {
  readonly actor: string;
  readonly timeMs: number;
}

/** All that stores of one log have in common: what would lie in a file, or on a server. */
export interface Database {
  readonly events: RecordedEvent[];
  readonly streams: Map<string, RecordedEvent[]>;
  readonly objects: Map<string, KeptObject>;
  /** By `claimKey`. */
  readonly claims: Map<string, KeptClaim>;
  /** By `messageKey`. */
  readonly messages: Map<string, KeptMessage>;
  /** By type and owner, as JSON. */
  readonly turns: Map<string, Turn>;
  turnsGiven: number;
  /** By `claimKey`. */
  readonly quotas: Map<string, Usage>;
  readonly answers: Map<string, KeptAnswer>;
  readonly artifacts: Map<string, KeptArtifact>;
  /** The bytes that events name, by their hashes. */
  readonly attachments: Map<string, Uint8Array>;
  /** With which objects and claims were made; undefined before the first opening. */
  revision: number | undefined;
}

export function createDatabase(): Database {
  return {
    events: [],
    streams: new Map(),
    objects: new Map(),
    claims: new Map(),
    messages: new Map(),
    turns: new Map(),
    turnsGiven: 0,
    quotas: new Map(),
    answers: new Map(),
    artifacts: new Map(),
    attachments: new Map(),
    revision: undefined,
  };
}

export function messageKey({ position, field }: MessageKey): string {
  return `${position} ${field}`;
}

export function headOf({ events }: Database): Head {
  const { position = 0n, timeMs = 0 } = events.at(-1) ?? {};
  return { position, timeMs };
}

/** The latest time of all events, which need not be that of the last. */
export function latestMs({ events }: Database): number {
  return events.reduce((latest, { timeMs }) => Math.max(latest, timeMs), 0);
}

/** The object of a stream as `Store.load` answers it. */
export function objectOf({ objects }: Database, stream: string): StoredObject {
  const times = { createdMs: 0, changedMs: 0 };
  const absent = { stream, version: 0, owner: "", state: undefined, ...times, position: 0n };
  const {
    row: _row,
    first: _first,
    ...object
  } = objects.get(stream) ?? { ...absent, row: 0, first: 0 };
  return object;
}

/** Those that hold such claims, by where their streams began. */
export function holdersOf(
  { claims, objects }: Database,
  { prefix = "", ...group }: ClaimsWithin,
  limit: number,
): Holders {
  const streams = new Set<string>();
  for (const { kind, scope, value, stream } of claims.values()) {
    const isOfGroup = kind === group.kind && scope === group.scope;
    if (isOfGroup && value.startsWith(prefix)) streams.add(stream);
  }
  const firstOf = (stream: string) => Number(objects.get(stream)?.first ?? 0n);
  const sorted = [...streams].sort((one, other) => firstOf(one) - firstOf(other));
  return { total: streams.size, streams: sorted.slice(0, limit) };
}
