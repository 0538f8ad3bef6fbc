import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import type { LogIdentity } from "../chain/chain.ts";
import { Forged } from "../chain/forged.ts";
import { createStateMac } from "../chain/state.ts";
import { prepareObjects } from "../object-row.ts";
import type { ListQuery } from "../query.ts";
import type { ObjectPage } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { checkpoint, codeOf, retryWhileBusy } from "./connection.ts";
import type { SqliteLimits } from "./limits.ts";
import { prepareList } from "./list.ts";

// What runs in the thread of `reader.ts`: lists and checkpoints, one after another.

/** What the thread is started with. */
export interface ReaderData {
  readonly path: string;
  readonly identity: LogIdentity;
  readonly limits: SqliteLimits;
  /** 1 when what is looked for is not wanted any more. */
  readonly stop: Int32Array;
}

/** A list to read within so many milliseconds. */
export interface Question {
  readonly query: ListQuery;
  readonly leftMs: number;
}

/** The page, nothing where it was not done in time, or why it cannot be read. */
export interface ThreadReply {
  readonly page?: ObjectPage | undefined;
  /** What SQLite called the failure of a checkpoint; empty where it did not fail. */
  readonly checkpointed?: string;
  readonly unavailable?: string;
  /** What is not what was written: a thread hands over no class of its own. */
  readonly forged?: Pick<Forged, "message" | "where">;
  readonly failed?: unknown;
}

const { path, identity, limits, stop }: ReaderData = workerData;
const db = new Database(path, {
  ...{ readonly: true, fileMustExist: true, timeout: limits.busyTimeoutMs },
});
const list = prepareList(db, prepareObjects(createStateMac(identity)), limits.listStatements);

async function answer({ query, leftMs }: Question): Promise<ThreadReply> {
  const untilMs = performance.now() + leftMs;
  const mayGoOn = () => performance.now() < untilMs && Atomics.load(stop, 0) === 0;
  try {
    return { page: await retryWhileBusy(limits, () => list(query, mayGoOn)) };
  } catch (error) {
    if (error instanceof Forged) return { forged: { message: error.message, where: error.where } };
    return error instanceof StoreUnavailable ? { unavailable: error.message } : { failed: error };
  }
}

/** It writes nothing but what others have committed; a connection that may is opened for that. */
let writing: Database.Database | undefined;

function checkpointed(): ThreadReply {
  try {
    writing ??= new Database(path, { fileMustExist: true, timeout: limits.busyTimeoutMs });
    checkpoint(writing);
    return { checkpointed: "" };
  } catch (error) {
    return { checkpointed: codeOf(error) || String(error) };
  }
}

parentPort?.on("message", async (message: Question | "checkpoint" | "end") => {
  if (message === "checkpoint") return parentPort?.postMessage(checkpointed());
  if (message !== "end") return parentPort?.postMessage(await answer(message));
  writing?.close();
  db.close();
  parentPort?.close();
});
