import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type WatchEventsRequest,
  WatchEventsRequestSchema,
  type WatchEventsResponseSchema,
} from "../../gen/iam/event/v1/watch_pb.js";
import { judgeAdmission, judgeNeeds } from "../domain/admission.ts";
import { holds } from "../domain/permission.ts";
import type { UserState } from "../domain/user/state/user.ts";
import { readCaller } from "../execute/owner.ts";
import type { Found } from "../execute/read-object.ts";
import type { Followed } from "../store/feed.ts";
import { callOf, ownerPermissionOf, permissionOf, Refused, refuse } from "./call.ts";
import { readEventFilter, showEvents } from "./event.ts";
import { rulesOf, text } from "./field-rule.ts";
import { type Follower, followFrom } from "./follow.ts";
import type { Handlers } from "./handlers.ts";
import { resumeTokenProblem } from "./resume-token.ts";
import type { Service } from "./service.ts";
import { answerWith, createWatchShare, type WatchShare } from "./watch-share.ts";

/** What the domain asks of the fields of watches: see `fieldRules`. */
export const watchRules = [
  rulesOf(
    WatchEventsRequestSchema,
    { resumeToken: text("the unchanged text of an answer of this service", resumeTokenProblem) },
    ({ sequence, resumeToken }) =>
      sequence === 0n || resumeToken === ""
        ? []
        : [{ field: "resume_token", description: "must not be given together with sequence" }],
  ),
];

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
  /** Those of all watches, in equal parts, each of `largeBytes` at least. */
  allHeldBytes: 16 * 1024 * 1024,
  /** UTF-8 bytes up to which a payload is not large. */
  largeBytes: 16 * 1024,
  /** Watches that hold a large event at a time: so long, the others wait for theirs. */
  largeEvents: 32,
  /** Of them, those that watch the same organization, or all. */
  largeEventsOfOrganization: 8,
  /** Milliseconds after which a watch without news says that it is there. */
  silenceMs: 30_000,
  /** Milliseconds for which events are sent that happened before the caller lost the right. */
  trustMs: 1_000,
  /** Events that one watch sends in one turn of the event loop. */
  turnEvents: 4,
} as const;

/** UTF-8 bytes of payloads that one of so many watches reads at a time. */
export function heldBytesOf(watches: number, limits: WatchLimits = watchLimits): number {
  const { heldBytes, allHeldBytes, largeBytes } = limits;
  return Math.min(heldBytes, Math.max(largeBytes, Math.floor(allHeldBytes / watches)));
}

/** The handler that follows the log. */
export function watchHandlers(service: Service, limits: WatchLimits = watchLimits) {
  let watches = 0;
  const ofUsers = new Map<string, number>();
  const share = createWatchShare(service, limits, () => heldBytesOf(watches, limits));
  const count = (userId: string, difference: 1 | -1) => {
    watches += difference;
    const ofUser = (ofUsers.get(userId) ?? 0) + difference;
    if (ofUser === 0) ofUsers.delete(userId);
    else ofUsers.set(userId, ofUser);
  };
  return {
    async *watchEvents(request, context) {
      const { userId } = callOf(context).caller;
      const found = await readCaller(service.store, userId);
      assertMayWatch(found, service, context, request.resourceOwner);
      const isFull = (ofUsers.get(userId) ?? 0) >= limits.watchesOfUser;
      if (isFull || watches >= limits.watches) {
        const whose = isFull ? "for this user" : "in all";
        const message = `Too many watches ${whose} are open. Try again later.`;
        refuse("TOO_MANY_WATCHES", message);
      }
      if (context.signal.aborted) return;
      // Before anything is waited for: others would pass the bound meanwhile.
      count(userId, 1);
      // Not where this ends: a stream whose caller is gone would never finish.
      context.signal.addEventListener("abort", () => count(userId, -1));
      const { resumeToken, sequence: position } = request;
      const follower = await followFrom(service, { resumeToken, position });
      if (context.signal.aborted) return;
      service.watched.add(follower);
      context.signal.addEventListener("abort", () => service.watched.delete(follower));
      yield* follow(service, { request, follower }, context, limits, share);
    },
  } satisfies Handlers;
}

/** The numbers of `watchLimits`. */
export type WatchLimits = { readonly [name in keyof typeof watchLimits]: number };

/** What a watch asks for, and how far it has come. */
interface Wish {
  readonly request: WatchEventsRequest;
  readonly follower: Follower;
}

/**
 * Yields the events from a place on, and then those to come. It reads no further than what is
 * taken from it, so a slow reader costs little memory. A large event is read where there is a place
 * for it, and followed by a sign of life, which takes its place in the memory of Connect.
 */
async function* follow(
  service: Service,
  wish: Wish,
  context: HandlerContext,
  limits: WatchLimits,
  share: WatchShare,
): AsyncGenerator<Answer> {
  const { feed, now } = service;
  const { signal } = context;
  const { request, follower } = wish;
  const { heldEvents: limit, silenceMs, trustMs, turnEvents } = limits;
  const asked = { ...readEventFilter(request), limit };
  const read = reading(service, follower, context, share);
  const { userId } = callOf(context).caller;
  let judgedMs = Number.NEGATIVE_INFINITY;
  const judge = async (through: bigint) => {
    await callOf(context).confirmAccess?.();
    const caller = await share.readCaller(userId, through, trustMs);
    assertMayWatch(caller.found, service, context, request.resourceOwner);
    judgedMs = caller.readMs;
  };

  let saidMs = Number.NEGATIVE_INFINITY;
  let leavePlace: (() => void) | undefined;

  /** Sends a page. A function of its own, since what waits in one keeps all that it has had. */
  async function* sendPage(): AsyncGenerator<Answer, "large" | "more" | "end"> {
    const payloadBytes = share.heldBytes();
    const found = await read({ ...asked, payloadBytes }, leavePlace !== undefined);
    if (found === undefined) return "large";
    const { page, answers } = found;
    // After the search: what was found may have happened after the caller lost the right.
    await judge(page.through);
    let sent = 0;
    for (const answer of answers) {
      if (sent > 0 && sent % turnEvents === 0) await share.awaitTurn();
      if (now() - judgedMs >= trustMs) await judge(page.through);
      yield answer;
      saidMs = now();
      sent += 1;
    }
    return page.isEnd ? "end" : "more";
  }

  while (!signal.aborted) {
    await share.awaitTurn();
    if (signal.aborted) return;
    const came = yield* sendPage();
    if (came === "large") {
      leavePlace = await share.takePlace(request.resourceOwner, signal);
      continue;
    }
    if (leavePlace !== undefined || (came === "end" && now() - saidMs >= silenceMs)) {
      yield { processedSequence: follower.after(), resumeToken: follower.token() };
      saidMs = now();
      leavePlace?.();
      leavePlace = undefined;
    }
    if (came === "more") continue;
    // However often it wakes up for what does not match, the next news comes when it is due.
    await feed.beyond(follower.after(), Math.min(saidMs + silenceMs - now(), silenceMs), signal);
  }
}

type Answer = MessageInitShape<typeof WatchEventsResponseSchema>;

/**
 * Makes the function that reads a page of events with the answers that bring them: from what is
 * read for all at the end of the log, and what lies before that for this watch alone, each answer
 * made when it is taken. It answers undefined, and stays where it is, where that is a large event
 * for which there is no place.
 */
function reading(service: Service, follower: Follower, context: HandlerContext, share: WatchShare) {
  const isJson = /json/.test(context.requestHeader.get("content-type") ?? "");
  return async (query: Omit<Followed, "after">, hasPlace: boolean) => {
    const page = await follower.next(query, (events) => hasPlace || !share.isLarge(events));
    if (page === undefined) return undefined;
    if (page.isHeld) {
      return { page, answers: await share.answersWith(page.events, isJson ? "json" : "binary") };
    }
    const events = await showEvents(service, page.events);
    const answers = (function* () {
      const linkedEvents = page.events.values();
      for (const event of events) {
        const { value: linked } = linkedEvents.next();
        if (linked !== undefined) yield answerWith(event, linked);
      }
    })();
    return { page, answers };
  };
}

/** Throws `Refused` where the caller may not, or no longer, watch what is asked for. */
function assertMayWatch(
  found: Found<UserState> | undefined,
  service: Service,
  context: HandlerContext,
  resourceOwner: string,
): void {
  const memberships = found?.state.memberships ?? [];
  const organization = { level: "organization", organization: resourceOwner } as const;
  const needs =
    resourceOwner !== "" && holds(memberships, ownerPermissionOf(context), organization)
      ? { permission: ownerPermissionOf(context), scope: organization }
      : { permission: permissionOf(context), scope: { level: "instance" } as const };
  const { shown } = callOf(context).admission;
  // The validity of an access token was checked just before: the user's row does not have all of
  // it.
  const lost =
    shown.kind === "personal"
      ? judgeAdmission({ caller: found?.state }, { shown, needs }, service.now())
      : judgeNeeds(found?.state, { needs });
  if (lost !== undefined) throw new Refused(lost);
}
