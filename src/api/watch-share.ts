import { setImmediate as nextTurn } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type Event, EventSchema } from "../../gen/iam/event/v1/event_pb.js";
import {
  type WatchEventsResponse,
  WatchEventsResponseSchema,
} from "../../gen/iam/event/v1/watch_pb.js";
import { rejectionFor } from "../domain/decision.ts";
import type { UserState } from "../domain/user/state/user.ts";
import type { LinkedEvent } from "../event.ts";
import { readCaller } from "../execute/owner.ts";
import type { Found } from "../execute/read-object.ts";
import { createShares, createSlots } from "../slots.ts";
import { Refused } from "./call.ts";
import { showEvents } from "./event.ts";
import { writeResumeToken } from "./resume-token.ts";
import type { Service } from "./service.ts";

/** What watches of a process share: turns, memory, callers, and events as they are shown. */
export interface WatchShare {
  /** UTF-8 bytes of payloads that a watch reads at a time. */
  heldBytes(): number;
  /** Whether that is one event so large that it takes a place. */
  isLarge(events: readonly LinkedEvent[]): boolean;
  /**
   * Resolves with what gives the place back, when there is one for a watch of the organization.
   * Given back where the signal is aborted; rejects where that comes first.
   */
  takePlace(organization: string, signal: AbortSignal): Promise<() => void>;
  /** Resolves when it is the turn of the caller, one after another. */
  awaitTurn(): Promise<void>;
  /** The user as the row said at some time, in Unix milliseconds, when the log had come so far. */
  readCaller(userId: string, through: bigint, trustMs: number): Promise<ReadCaller>;
  /** The answers with these events, which are made once for all who are sent the same object. */
  answersWith(
    events: readonly LinkedEvent[],
    form: "json" | "binary",
  ): Promise<readonly WatchEventsResponse[]>;
}

/** The limits of `watchLimits` that hold for all watches together. */
export interface WatchShareLimits {
  readonly watches: number;
  readonly largeBytes: number;
  readonly largeEvents: number;
  readonly largeEventsOfOrganization: number;
}

/** A user, and since when it is known that it is so. */
export interface ReadCaller {
  readonly found: Found<UserState> | undefined;
  readonly readMs: number;
}

/** Makes what the watches of a process share. */
export function createWatchShare(
  service: Pick<Service, "store" | "now">,
  limits: WatchShareLimits,
  heldBytes: () => number,
): WatchShare {
  const { watches, largeBytes, largeEvents, largeEventsOfOrganization } = limits;
  // No more than all watches wait.
  const overloaded = () => new Refused(rejectionFor("TOO_MANY_WATCHES"));
  const waiting = { waitingMax: watches, overloaded };
  const places = createSlots({ concurrentMax: largeEvents, ...waiting });
  const shares = createShares({ concurrentMax: largeEventsOfOrganization, ...waiting });
  let lastTurn: Promise<void> = Promise.resolve();
  const callers = new Map<string, KeptCaller>();
  const answers = new WeakMap<LinkedEvent, Answer>();

  async function readNow(userId: string, readMs: number): Promise<ReadCaller> {
    return { readMs, found: await readCaller(service.store, userId) };
  }

  return {
    heldBytes,
    isLarge: ([event, ...others]) =>
      event !== undefined && others.length === 0 && Buffer.byteLength(event.payload) > largeBytes,
    takePlace: (organization, signal) =>
      new Promise((resolve, reject) => {
        // A stream whose caller is gone never finishes, and so gives nothing back by itself.
        const stay = () =>
          new Promise<void>((end) => {
            const leave = () => {
              signal.removeEventListener("abort", leave);
              end();
            };
            signal.addEventListener("abort", leave);
            resolve(leave);
          });
        shares.run(organization, () => places.run(stay, signal), signal).catch(reject);
      }),
    // Each takes the only thread for a moment, and a thousand watches may wake up at once.
    awaitTurn: () => {
      lastTurn = lastTurn.then(() => nextTurn());
      return lastTurn;
    },
    readCaller(userId, through, trustMs) {
      const nowMs = service.now();
      // Older entries are useless, and watches that ended are forgotten this way.
      for (const [id, { readMs }] of callers) if (nowMs - readMs >= trustMs) callers.delete(id);
      const kept = callers.get(userId);
      if (kept !== undefined && kept.through >= through) return kept.read;
      const read = readNow(userId, nowMs);
      callers.set(userId, { through, readMs: nowMs, read });
      // What could not be read is asked for again by the next.
      read.catch(() => callers.delete(userId));
      return read;
    },
    async answersWith(events, form) {
      const fresh = events.filter((event) => !answers.has(event));
      const answered = [...(await showEvents(service, fresh))];
      for (const [index, event] of fresh.entries()) {
        const one = answered[index];
        if (one === undefined) continue;
        const binary = written(one, event);
        answers.set(event, { json: answerWith(one, event), binary });
      }
      return events.flatMap((event) => answers.get(event)?.[form] ?? []);
    },
  };
}

interface KeptCaller extends Pick<ReadCaller, "readMs"> {
  readonly through: bigint;
  readonly read: Promise<ReadCaller>;
}

/** An answer, for callers of JSON and for others. */
interface Answer {
  readonly json: WatchEventsResponse;
  readonly binary: WatchEventsResponse;
}

/** The answer that brings an event, as it is shown. */
export function answerWith(event: Event, linked: LinkedEvent): WatchEventsResponse {
  return create(WatchEventsResponseSchema, { event, ...placeIn(linked) });
}

/** What an answer says of how far the log was sent. */
function placeIn({ position, link }: LinkedEvent) {
  return { processedSequence: position, resumeToken: writeResumeToken(position, link) };
}

/** The same with the event written already, which is most of the work for each watch. */
function written(event: Event, linked: LinkedEvent): WatchEventsResponse {
  const data = new BinaryWriter().bytes(toBinary(EventSchema, event)).finish();
  const no = WatchEventsResponseSchema.field.event.number;
  const answer = create(WatchEventsResponseSchema, placeIn(linked));
  answer.$unknown = [{ no, wireType: WireType.LengthDelimited, data }];
  return answer;
}
