import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { readIfThere, readOrCreate, removeFile, statIfThere } from "../file.ts";
import { headFile } from "../log/head-places.ts";
import { logIn } from "../log/in-file.ts";
import type { LogPlace } from "../log/place.ts";
import { outboxDirectory } from "../notify/channel/outbox.ts";
import { keyFile } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { StoreLog } from "../store/failure-log.ts";
import { tokenFile } from "./first-start.ts";
import { ownerLinkFile } from "./owner-link.ts";

/** The file that lies in the data directory while its first start is under way. */
export const unfinishedFile = "first-start.unfinished";

/** What only a directory has that had a log, or a first start. */
const traces = [keyFile, tokenFile, ownerLinkFile, headFile, outboxDirectory];

/** What is known of a first start, and what remains to be done of it. */
export interface FirstStart {
  /** For a log without an instance: throws a ConfigError where the directory had another one. */
  assertAllowed(): void;
  /**
   * Says that the log has its instance: from then on a directory without a log has lost it. Where
   * that came of this directory, the link for its owner is left first. A token that is no owner's
   * goes, because another node was faster, or somebody has made the directory look unfinished.
   * Where it was not this start that began, a line says what became of the mark.
   */
  finish(after: AfterSetUp): Promise<void>;
}

/** What is done once there is an instance. */
interface AfterSetUp {
  /** Whether the token lets an owner of the instance in. */
  isOwners(token: string): Promise<boolean>;
  /** Leaves the link by which the owner comes in as a person; where it was left, nothing. */
  leaveLink(): Promise<void>;
}

/**
 * Looks at a directory before its log is opened. One that has neither a log nor what comes with one
 * is marked, so that a first start that is cut short is done by the next; of several processes that
 * start at once, each may be the first. Rejects with a ConfigError, and changes nothing, where a
 * log should be and is not.
 */
export async function beginFirstStart(
  dataDir: string,
  place: Pick<LogPlace, "name" | "isThere" | "bringBack">,
  { random, log }: { readonly random: RandomBytes; readonly log: Pick<StoreLog, "info" | "warn"> },
): Promise<FirstStart> {
  const mark = join(dataDir, unfinishedFile);
  // In this order: another process that starts makes the mark before them, and takes it away once
  // there is an instance.
  const trace = await firstThere(dataDir, traces);
  const isMarked = (await readIfThere(mark)) !== undefined;
  const hasLog = await place.isThere();
  const isElsewhere = place.name !== logIn(dataDir);
  const hasFile = isElsewhere && (await bytesOf(logIn(dataDir))) > 0;
  const hasWal = !hasLog && (await bytesOf(`${logIn(dataDir)}-wal`)) > 0;
  const isLost = !isMarked && (trace !== undefined || hasWal);
  const assertAllowed = () => {
    if (!isLost) return;
    throw new ConfigError(
      hasFile ? otherLog(place.name, dataDir) : lostLog(place, trace ?? "iam.db-wal"),
    );
  };
  if (!hasLog) {
    assertAllowed();
    await readOrCreate(mark, () => "", random);
  }
  return {
    assertAllowed,
    finish: async ({ isOwners, leaveLink }) => {
      if ((await readIfThere(mark)) === undefined) return;
      const path = join(dataDir, tokenFile);
      const token = await readIfThere(path);
      const isOurs = token !== undefined && (await isOwners(token.trim()));
      if (isOurs) await leaveLink();
      else await removeFile(path);
      await removeFile(mark);
      if (!isOurs) log.warn({ directory: dataDir }, notOurs(token !== undefined));
      else if (isMarked) log.info({ directory: dataDir }, cutOff);
    },
  };
}

const cutOff = `an interrupted first start was completed, and ${unfinishedFile} was removed`;

/** What became of the mark where no token of an owner lay beside it. */
function notOurs(hadToken: boolean): string {
  const which = hadToken ? `and ${tokenFile}, which belongs to no owner, were` : "was";
  return (
    `${unfinishedFile} ${which} removed: the log already has its instance, and no link was ` +
    "created. token --user NAME creates a token for an owner"
  );
}

function lostLog({ name, bringBack }: Pick<LogPlace, "name" | "bringBack">, trace: string): string {
  return (
    `The event log ${name} is missing or empty, but ${trace} in the data directory shows ` +
    `that there was one. ${bringBack} For a new instance, first remove the other files ` +
    `of the directory (${traces.join(", ")}, iam.db-wal, iam.db-shm).`
  );
}

/** Never says to remove anything: what lies there is of use to the log in the file. */
function otherLog(log: string, dataDir: string): string {
  return (
    `The event log ${log} is missing or empty, and ${dataDir} belongs to another log in a ` +
    "file. Set IAM_DATA_DIR to a directory for this node, or copy the log of the file to " +
    "the database (copy)."
  );
}

async function firstThere(
  directory: string,
  names: readonly string[],
): Promise<string | undefined> {
  for (const name of names) {
    if ((await statIfThere(join(directory, name))) !== undefined) return name;
  }
  return undefined;
}

async function bytesOf(path: string): Promise<number> {
  return (await statIfThere(path))?.size ?? 0;
}
