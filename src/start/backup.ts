import { copyFile, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeExclusively } from "../file.ts";
import { keyFile, keyFileIn } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { copySqlite } from "../store/sqlite/copy-file.ts";
import { ConfigError } from "./config.ts";
import { makeDataDir } from "./first-start.ts";
import { logIn } from "./log-path.ts";
import { printVerification, type Say, type Verify } from "./maintain.ts";

/** What backups are made and restored with. */
export interface BackupTools {
  readonly random: RandomBytes;
  /** Verifies the log in a file. */
  readonly verify: (path: string) => Verify;
  readonly say: Say;
}

/** What is to be backed up, and where to. */
export interface Backup {
  readonly dataDir: string;
  /** A file that is not there, or a directory for one that is named after the time. */
  readonly target: string;
  readonly withKey: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Writes the log in the data directory as it is at one moment into a new file that only its owner
 * can read, and on request the key file beside it. The copy is verified before it gets its name,
 * and is on disk then. The service may go on beside this. Rejects with a ConfigError where something
 * cannot be read or written, or is damaged; then there is no backup.
 */
export async function backUp(
  { dataDir, target, withKey, nowMs }: Backup,
  { random, verify, say }: BackupTools,
): Promise<void> {
  const log = logIn(dataDir);
  const file = (await isDirectory(target)) ? join(target, nameAt(nowMs)) : resolve(target);
  await make(file, random, (draft) => copyWhole(log, draft, verify, say));
  if (withKey) await make(keyOf(file), random, (draft) => copyFile(keyFileIn(dataDir), draft));
  say(`Backed up ${log} as ${file}${withKey ? `, and its key as ${keyOf(file)}` : ""}.`);
}

/**
 * Puts a backup into a data directory that is empty or not there yet, with the key where that lies
 * beside it. Rejects with a ConfigError where the directory has something in it, or the backup
 * cannot be read or is damaged; then no log is there.
 */
export async function restore(
  { dataDir, backup }: { readonly dataDir: string; readonly backup: string },
  { random, verify, say }: BackupTools,
): Promise<void> {
  await makeDataDir(dataDir);
  const [other] = await readdir(dataDir);
  if (other !== undefined) {
    throw new ConfigError(`${dataDir} is not empty (${other}): restore into a directory that is.`);
  }
  await make(logIn(dataDir), random, (draft) => copyWhole(backup, draft, verify, say));
  const hasKey = await isThere(keyOf(backup));
  if (hasKey) await make(keyFileIn(dataDir), random, (draft) => copyFile(keyOf(backup), draft));
  const key = hasKey ? "with its key" : `put its ${keyFile} there too, or set IAM_MASTER_KEY`;
  say(`Restored ${backup} as ${logIn(dataDir)}: ${key}.`);
}

async function copyWhole(
  log: string,
  draft: string,
  verify: BackupTools["verify"],
  say: Say,
): Promise<void> {
  try {
    await copySqlite(log, draft);
  } catch (cause) {
    throw new ConfigError(`${log} cannot be copied: ${(cause as Error).message}`, { cause });
  }
  // What is said of the copy is true of the log that it was made of.
  if (await printVerification(log, verify(draft), say)) return;
  throw new ConfigError(`${log} is damaged, so no copy was kept: docs/operate.md says what to do.`);
}

async function make(
  path: string,
  random: RandomBytes,
  write: (draft: string) => Promise<void>,
): Promise<void> {
  const isMade = await writeExclusively(path, random, write).catch((cause) => {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    throw new ConfigError(`${path} cannot be made: ${code}`, { cause });
  });
  if (!isMade) throw new ConfigError(`${path} is there already: name another.`);
}

/** Where the key of a backup lies that was made with it. */
function keyOf(backup: string): string {
  return `${resolve(backup)}.key`;
}

/** Such as iam-20261122T110825Z.db, so that names sort by time. */
function nameAt(nowMs: number): string {
  return `iam-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const isDirectory = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
