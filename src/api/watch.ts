import { setImmediate as nextTurn } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  WatchEventsRequest,
  WatchEventsResponseSchema,
} from "../../gen/iam/event/v1/watch_pb.js";
import { holds } from "../domain/permission.ts";
import { judgeAdmission } from "../domain/user/admission.ts";
import { user } from "../domain/user/user.ts";
import { callOf, ownerPermissionOf, permissionOf, Refused, refuse } from "./call.ts";
import { readEventFilter, showEvents } from "./event.ts";
import type { Handlers } from "./handlers.ts";
import { findObject } from "./listing.ts";
import type { Service } from "./service.ts";

/** The limits of watches. */
export const watchLimits = {
  /** Watches that one process serves at a time. */
  watches: 1_000,
  /** Of them, those of one user, so that nobody takes all. */
  watchesOfUser: 100,
  /** Events that one watch holds in memory while they are taken from it. */
  heldEvents: 100,
  /** UTF-8 bytes of their payloads, unless there is only one. */
  heldBytes: 256 * 1024,
  /** Milliseconds after which a watch without news says that it is there. */
  silenceMs: 30_000,
  /** Milliseconds for which events are sent that happened before the caller lost the right. */
  trustMs: 1_000,
} as const;

/** The handler that follows the log. */
export function watchHandlers(service: Service, limits: WatchLimits = watchLimits) {
  let watches = 0;
  const ofUsers = new Map<string, number>();
  const awaitLook = createLookQueue();
  const count = (userId: string, difference: 1 | -1) => {
    watches += difference;
    const ofUser = (ofUsers.get(userId) ?? 0) + difference;
    if (ofUser === 0) ofUsers.delete(userId);
    else ofUsers.set(userId, ofUser);
  };
  return {
    async *watchEvents(request, context) {
      await assertMayWatch(service, context, request.resourceOwner);
      const { userId } = callOf(context).caller;
      const isFull = (ofUsers.get(userId) ?? 0) >= limits.watchesOfUser;
      if (isFull || watches >= limits.watches) {
        const whose = isFull ? "for this user" : "in all";
        const message = `The server holds as many watches ${whose} as it may: try again later.`;
        refuse("TOO_MANY_WATCHES", message);
      }
      if (context.signal.aborted) return;
      count(userId, 1);
      // Not where this ends: what waits to be read by a caller who has gone waits for good.
      context.signal.addEventListener("abort", () => count(userId, -1));
      yield* follow(service, request, context, { ...limits, awaitLook });
    },
  } satisfies Handlers;
}

/**
 * Lets watches look through the log one after another, and everybody else in between: each look
 * takes the only thread for some milliseconds, and a thousand watches may wake up at once.
 */
function createLookQueue(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => nextTurn());
    return last;
  };
}

/** The numbers of `watchLimits`. */
export type WatchLimits = { readonly [name in keyof typeof watchLimits]: number };

/**
 * Yields the events after a position, and then those to come. It reads no further than what is
 * taken from it, so a slow reader costs no memory.
 */
async function* follow(
  service: Service,
  request: WatchEventsRequest,
  context: HandlerContext,
  { awaitLook, ...limits }: WatchLimits & { readonly awaitLook: () => Promise<void> },
): AsyncGenerator<MessageInitShape<typeof WatchEventsResponseSchema>> {
  const { store, feed, now } = service;
  const { signal } = context;
  const filter = readEventFilter(request);
  let judgedMs = Number.NEGATIVE_INFINITY;
  const judge = async () => {
    await assertMayWatch(service, context, request.resourceOwner);
    judgedMs = now();
  };

  const { heldEvents: limit, heldBytes: payloadBytes, silenceMs, trustMs } = limits;
  let after = request.sequence;
  let saidMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    await awaitLook();
    if (signal.aborted) return;
    const page = await store.search({ ...filter, after, limit, payloadBytes });
    // After the search: what was found may have happened after the caller lost the right.
    await judge();
    for (const event of await showEvents(service, page.events)) {
      if (now() - judgedMs >= trustMs) await judge();
      yield { event, processedSequence: event.sequence };
      saidMs = now();
    }
    after = page.through;
    if (!page.isEnd) continue;
    if (now() - saidMs >= silenceMs) {
      yield { processedSequence: after };
      saidMs = now();
    }
    // However often it wakes up for what does not match, the next news comes when it is due.
    await feed.beyond(after, Math.min(saidMs + silenceMs - now(), silenceMs), signal);
  }
}

/** Throws `Refused` where the caller may not, or no longer, watch what is asked for. */
async function assertMayWatch(
  service: Service,
  context: HandlerContext,
  resourceOwner: string,
): Promise<void> {
  const { caller, admission } = callOf(context);
  const found = await findObject(service, user, caller.userId);
  const memberships = found?.state.memberships ?? [];
  const organization = { level: "organization", organization: resourceOwner } as const;
  const needs =
    resourceOwner !== "" && holds(memberships, ownerPermissionOf(context), organization)
      ? { permission: ownerPermissionOf(context), scope: organization }
      : { permission: permissionOf(context), scope: { level: "instance" } as const };
  const { tokenHash } = admission;
  const lost = judgeAdmission(found?.state, { tokenHash, needs }, service.now());
  if (lost !== undefined) throw new Refused(lost);
}
