import { answerLimits } from "../../src/store/answer.ts";
import { checkAppend } from "../../src/store/check-append.ts";
import { claimKey } from "../../src/store/claim-key.ts";
import type { Projector } from "../../src/store/projector.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { appendTo, isRemembered } from "./model/append.ts";
import { artifactsIn, type Open } from "./model/artifact.ts";
import { type Database, headOf, holdersOf, objectOf } from "./model/database.ts";
import { linkAt, log } from "./model/link.ts";
import { listIn } from "./model/list.ts";
import { leaseFrom, pendingIn, postponeIn } from "./model/message.ts";
import { bringUpToDate } from "./model/rebuild.ts";
import { searchIn } from "./model/search.ts";

/** Answers that are removed at once. */
const forgottenAtOnce = 1_000;

/**
 * A store in memory that says in few lines what a store is to do: what the simulation runs on. It
 * passes the suite that every store passes. Each method does its work at once, in one step.
 */
export function openModel(db: Database, projector: Projector): Store {
  bringUpToDate(db, projector);
  let isClosed = false;

  const assertOpen = () => {
    if (isClosed) throw new StoreUnavailable("The store is closed.");
  };
  /** The method as one that does nothing any more once the store is closed. */
  const open: Open =
    (method) =>
    async (...given) => {
      assertOpen();
      return method(...given);
    };

  return {
    log,
    load: open((streams) => streams.map((stream) => objectOf(db, stream))),
    versions: open((streams) => streams.map((stream) => objectOf(db, stream).version)),
    append: open((append) => {
      checkAppend(append);
      return appendTo(db, append);
    }),
    find: open((claim) => db.claims.get(claimKey(claim))?.stream),
    holders: open((group, limit) => holdersOf(db, group, limit)),
    list: open((query) => listIn(db, query)),
    readStream: open((stream, after, limit) =>
      (db.streams.get(stream) ?? []).slice(after, after + limit),
    ),
    readAll: open((after, limit) => db.events.slice(Number(after), Number(after) + limit)),
    search: open((query) => searchIn(db, query)),
    head: open(() => headOf(db)),
    linkAt: open((position) => linkAt(db, position)),
    attachment: open((digest) => db.attachments.get(digest)),
    leaseMessages: open((query) => leaseFrom(db, query)),
    postponeMessage: open((message, dueMs) => postponeIn(db, message, dueMs)),
    recall: open((key, nowMs) => {
      const answer = db.answers.get(key);
      if (answer === undefined || !isRemembered(db, key, nowMs)) return undefined;
      const { request, answer: text, secret, timeMs } = answer;
      const isFresh = timeMs > nowMs - answerLimits.secretMs;
      return { request, answer: text, secret: isFresh ? secret : undefined };
    }),
    pendingMessages: open((stream, limit) => pendingIn(db, stream, limit)),
    rememberedOf: open((caller) => {
      const times = [...db.answers.values()].filter(({ actor }) => actor === caller);
      return { count: times.length, newestMs: times.at(-1)?.timeMs };
    }),
    forgetAnswers: open((nowMs) => forgetAnswers(db, nowMs)),
    artifacts: artifactsIn(db, open),
    ready: open(() => {}),
    condition: open(() => ({ figures: {}, warnings: [] })),
    close: async () => {
      isClosed = true;
    },
  };
}

function forgetAnswers({ answers }: Database, nowMs: number): boolean {
  let removed = 0;
  for (const [key, { timeMs, ...answer }] of answers) {
    if (removed === forgottenAtOnce) return true;
    const isOver = timeMs <= nowMs - answerLimits.keptMs;
    const isSecretOver = answer.secret !== undefined && timeMs <= nowMs - answerLimits.secretMs;
    if (isOver) answers.delete(key);
    else if (isSecretOver) answers.set(key, { ...answer, timeMs, secret: undefined });
    if (isOver || isSecretOver) removed += 1;
  }
  return false;
}
