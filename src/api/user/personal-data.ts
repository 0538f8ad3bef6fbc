import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { EventSchema } from "../../../gen/iam/event/v1/event_pb.js";
import { SessionSchema } from "../../../gen/iam/user/v1/session_pb.js";
import { type GrantState, grant, grantLimits, grantsOf } from "../../domain/grant.ts";
import { group } from "../../domain/group.ts";
import { makesClaim, streamOf } from "../../domain/noun.ts";
import { findDestination, readAsking } from "../../domain/user/credential/delivery.ts";
import { metadata } from "../../domain/user/metadata.ts";
import { sessionsOf } from "../../domain/user/state/session.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { type Found, readObject } from "../../execute/read-object.ts";
import { answerLimits } from "../../store/answer.ts";
import { isErased } from "../../store/erasure.ts";
import type { Asker } from "../../store/query.ts";
import type { StoredObject } from "../../store/store.ts";
import { callOf, refuse } from "../call.ts";
import { countInDay } from "../count.ts";
import { maskDeep, showEvents } from "../event.ts";
import type { Handlers } from "../handlers.ts";
import { askerOf, refuseToken } from "../listing.ts";
import { confirmCaller, type Service } from "../service.ts";
import { readPast } from "./erase.ts";
import { readMetadata } from "./metadata.ts";
import { showSession } from "./session.ts";

/** The bounds on reading what is kept of a user. */
export const personalDataLimits = {
  /** UTF-8 bytes of the JSON of a page. */
  pageBytes: 512 * 1024,
  /** Times that the first page of one user is read in a day. */
  downloads: 5,
  /** Pages of one user in a day: anybody can write a token for another page. */
  pages: 500,
  /** Messages that wait, of which those are shown that are due first. */
  messages: 100,
} as const;

/** Events that are looked up at once. */
const eventsAtOnce = 200;

/** The handler that reads all that is kept of a user. */
export function personalDataHandlers(service: Service) {
  return {
    async getPersonalData({ userId, pageToken }, context) {
      const { organization } = await readPast(service.store, userId);
      if (organization !== callOf(context).organization) refuse("USER_NOT_FOUND");
      const after = readToken(userId, pageToken);
      await confirmCaller(service, context);
      const asked = { userId, after, asker: askerOf(context) };
      const { begin, events, next } = await readPage(service, asked);
      const nextPageToken = next === undefined ? "" : writeToken(userId, next);
      return { json: JSON.stringify({ ...begin, events }), nextPageToken };
    },
  } satisfies Handlers;
}

/** A page of what is kept of a user. */
interface AskedPage {
  readonly userId: string;
  /** The position that it begins behind; 0 for the first. */
  readonly after: bigint;
  readonly asker: Asker;
}

/**
 * Reads a page: the first has what is kept now, and each has events. Throws `Refused` where there
 * were enough in a day.
 */
export async function readPage(service: Service, { userId, after, asker }: AskedPage) {
  const isFirst = after === 0n;
  await countPage(service, userId, isFirst ? ["pages", "downloads"] : ["pages"]);
  const kept = await readObjects(service, userId);
  const begin = isFirst ? await showKept(service, userId, kept) : {};
  const collected = await collectEvents(service, {
    ...{ after, asker, bytes: bytesOf(begin) },
    streams: [
      streamOf(user, userId),
      ...[...kept.metadata, ...kept.grants].map(({ stream }) => stream),
    ],
  });
  return { begin, ...collected };
}

/** Counts a page. Throws `Refused` with the time to wait where there were enough. */
async function countPage(
  service: Service,
  userId: string,
  names: readonly ("downloads" | "pages")[],
): Promise<void> {
  const counted = names.map((name) => ({ name, usesMax: personalDataLimits[name] }));
  const done = "The personal data of the user was read";
  await countInDay(service, userId, counted, { reason: "TOO_MANY_DOWNLOADS", done });
}

/** The objects of a user: undefined where the user was removed. */
interface Kept {
  readonly user: Found<UserState> | undefined;
  readonly metadata: readonly StoredObject[];
  readonly grants: readonly StoredObject[];
  /** The groups that it is a member of. */
  readonly groups: readonly StoredObject[];
}

async function readObjects({ store }: Service, userId: string): Promise<Kept> {
  const keys = await readMetadata({ store }, userId);
  const held = grantsOf(userId);
  const { streams } = await store.holders(held, grantLimits.grantsOfUser);
  const found = await readObject(store, user, userId);
  const joined = (found?.state.groups ?? []).map((id) => streamOf(group, id));
  const [grants = [], groups = []] = await Promise.all(
    [streams, joined].map((one) => (one.length === 0 ? [] : store.load(one))),
  );
  const isThere = ({ state }: StoredObject) => state !== undefined;
  const isTheirs = ({ state }: StoredObject) =>
    state !== undefined && makesClaim(grant, JSON.parse(state) as GrantState, held);
  return {
    ...{ user: found, metadata: keys },
    ...{ grants: grants.filter(isTheirs), groups: groups.filter(isThere) },
  };
}

/** What is kept now, with the place of each. */
async function showKept(
  service: Service,
  userId: string,
  { user: found, metadata: keys, grants, groups }: Kept,
) {
  const sessions = sessionsOf(found?.state, service.now());
  const shown = await Promise.all(sessions.map((session) => showSession(service, session)));
  return {
    user: found === undefined ? null : showObject(found.stored, user),
    metadata: keys.map((stored) => showObject(stored, metadata)),
    grants: grants.map((stored) => showObject(stored, grant)),
    groups: groups.map((stored) => showObject(stored, group)),
    sessions: shown.map((one) => ({ place: "artifacts", session: toJson(SessionSchema, one) })),
    browsers: { place: "objects", count: found?.state.human?.login?.browsers.length ?? 0 },
    messages: await showMessages(service, userId, found?.state),
    answers: await showAnswers(service, userId),
  };
}

/** The messages that wait, with the address that each goes to as the user is now. */
async function showMessages(
  { store, now }: Service,
  userId: string,
  state: UserState | undefined,
): Promise<JsonValue[]> {
  const { messages: limit } = personalDataLimits;
  const pending = await store.pendingMessages(streamOf(user, userId), limit);
  const asked = pending.map(async ({ position, dueMs }) => {
    const [event] = await store.readAll(position - 1n, 1);
    // What was settled meanwhile may have been erased.
    if (event === undefined || isErased(event)) return [];
    const to = findDestination(state, readAsking(event), now())?.to ?? null;
    const due = new Date(dueMs).toISOString();
    return [{ place: "messages", to, type: event.type, sequence: String(position), due }];
  });
  return (await Promise.all(asked)).flat();
}

/** How many answers are kept for calls that the user repeats; what they say is sealed. */
async function showAnswers({ store }: Service, userId: string) {
  const { count, newestMs } = await store.rememberedOf(userId);
  const until =
    newestMs === undefined ? null : new Date(newestMs + answerLimits.keptMs).toISOString();
  return { place: "answers", count, until };
}

function showObject(
  { state = "null", createdMs, changedMs }: StoredObject,
  { secrets }: { readonly secrets: readonly string[] },
) {
  const [created, changed] = [createdMs, changedMs].map((ms) => new Date(ms).toISOString());
  return { place: "objects", created, changed, state: maskDeep(JSON.parse(state), secrets) };
}

interface Wanted {
  readonly streams: readonly string[];
  readonly after: bigint;
  readonly asker: Asker;
  /** Of the page, those that are taken. */
  readonly bytes: number;
}

/** The events behind a position that have room; the position to go on behind, if more follow. */
async function collectEvents({ store }: Service, { bytes: taken, after, ...wanted }: Wanted) {
  const { pageBytes } = personalDataLimits;
  const events: JsonValue[] = [];
  let bytes = taken;
  let next = after;
  for (;;) {
    const page = await store.search({ ...wanted, after: next, limit: eventsAtOnce });
    for (const event of await showEvents({ store }, page.events)) {
      const shown = toJson(EventSchema, event);
      bytes += bytesOf(shown);
      if (bytes > pageBytes) return { events, next };
      events.push({ place: "events", event: shown });
      next = event.sequence;
    }
    if (page.isEnd) return { events, next: undefined };
  }
}

/** UTF-8 bytes of a part of a page, with what stands around it. */
function bytesOf(part: object | JsonValue): number {
  return Buffer.byteLength(JSON.stringify(part)) + aroundBytes;
}

/** More than the members and commas that stand around a part. */
const aroundBytes = 64;

/** The token for the page behind a position. */
function writeToken(userId: string, position: bigint): string {
  return Buffer.from(`${position} ${userId}`).toString("base64url");
}

function readToken(userId: string, token: string): bigint {
  if (token === "") return 0n;
  const [position = "", id] = Buffer.from(token, "base64url").toString().split(" ");
  const isToken = id === userId && /^[0-9]{1,18}$/.test(position);
  if (isToken) return BigInt(position);
  return refuseToken("must be the next_page_token of a page of this user", "page_token");
}
