import { randomBytes as random } from "node:crypto";
import { rmSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import { readIfThere, removeFile, writeExclusively } from "../file.ts";
import { headsFor } from "../log/checkpoint.ts";
import { erasureFile } from "../log/erasure-places.ts";
import type { Where } from "../log/find.ts";
import { findLog } from "../log/find.ts";
import { keyringFinder } from "../log/find-keyring.ts";
import { headFile } from "../log/head-places.ts";
import { logIn } from "../log/in-file.ts";
import { backupFile, noteBackup } from "../log/last-backup.ts";
import { logKeysFor } from "../log/log-keys.ts";
import { orRefused, printVerification, type Say } from "../log/maintain.ts";
import { projector } from "../log/projector.ts";
import { keyFile, keyFileIn, parseKeyring } from "../secrets/keys.ts";
import { makeDataDir, tokenFile } from "../start/first-start.ts";
import { parseHead, sealHead } from "../store/chain/head.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import { readEnd, readSchemas } from "../store/sqlite/chain-file.ts";
import { copySqlite } from "../store/sqlite/copy-file.ts";
import { isTooOld, openOnce } from "../store/sqlite/schema.ts";
import { verifySqlite } from "../store/sqlite/verify/verify.ts";
import type { Proofs } from "../store/verify/verified.ts";

type BackupConfig = Where & Pick<Config, "masterKeys" | "anchorUrl">;

/** Throws a ConfigError where the log is in a database, whose backups are not made here. */
function assertFile({ databaseUrl }: Where): void {
  if (databaseUrl === "") return;
  throw new ConfigError(
    "backup and restore are for a log in a file. Back up the database with its own tools, " +
      "and use export or copy for the events.",
  );
}

/** Who is told what is done, and how far long work is. */
export interface Says {
  readonly say: Say;
  readonly progress: Say;
}

/** Where a backup goes. */
export interface Backup {
  /** A file that is not there, or a directory for one that is named after the time. */
  readonly target: string;
  readonly withKey: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Writes the log in the data directory as it is at one moment into a new file that only its owner
 * can read, with its head beside it and on request the key file. The copy is verified before it
 * gets its name, and is on disk then. The service may go on beside this. Rejects with a ConfigError
 * where something cannot be read or written, or is damaged; then there is no backup.
 */
export async function backUp(
  { masterKeys, ...config }: BackupConfig,
  { target, withKey, nowMs }: Backup,
  says: Says,
): Promise<void> {
  assertFile(config);
  const dataDir = resolve(config.dataDir);
  if (withKey && masterKeys !== undefined) {
    throw new ConfigError(
      "The keys are in IAM_MASTER_KEY and not in a file: back them up where it is set.",
    );
  }
  const log = logIn(dataDir);
  const isForDirectory = (await statOf(target))?.isDirectory() === true;
  if (!isForDirectory && /[/\\]$/.test(target)) {
    throw new ConfigError(`There is no directory ${target}: create it first, then back up again.`);
  }
  const file = isForDirectory ? join(target, nameAt(nowMs)) : resolve(target);
  const keys = logKeysFor({ dataDir, masterKeys });
  let head = "";
  for (const beside of [headOfBackup(file), ...(withKey ? [keyOfBackup(file)] : [])]) {
    if (await statOf(beside)) throw new ConfigError(`${beside} already exists: name another.`);
  }
  await assertSchema(log, "start the service on it once, or run rebuild, then back it up");
  const heads = await headsFor(config, await findLog(config), keys);
  await make(file, async (draft) => {
    await copyWhole(log, draft, { keys, heads }, says);
    head = await headOf(draft, keys, nowMs);
  });
  const ring = keyringFinder({ masterKeys, dataDir, random });
  const { keyIds } = await ring({ isNew: false, keyIds: [] });
  const beside = JSON.stringify({ ...JSON.parse(head), keys: keyIds });
  const made = [file];
  try {
    await make(headOfBackup(file), (draft) => writeFile(draft, `${beside}\n`));
    made.push(headOfBackup(file));
    if (withKey) {
      // A copy of the file would have its mode.
      const key = await readFile(keyFileIn(dataDir));
      await make(keyOfBackup(file), (draft) => writeFile(draft, key));
    }
  } catch (error) {
    for (const one of made) await removeFile(one);
    throw error;
  }
  await noteBackup(dataDir, nowMs, random).catch(({ code }: NodeJS.ErrnoException) =>
    says.say(`The time of the backup could not be written to ${backupFile}: ${code}`),
  );
  says.say(
    `Backed up ${log} as ${file}. It needs the keys ${keyIds.join(", ")}` +
      (withKey ? `, which are in ${keyOfBackup(file)}.` : ": keep them apart from the backup."),
  );
}

/**
 * Puts a backup into a data directory that is empty or not there yet, with the head and the key
 * that lie beside it. Rejects with a ConfigError where the directory has something in it, or the
 * backup cannot be read, is damaged, or is not what its head says; then no log is there.
 */
export async function restore(config: BackupConfig, backup: string, says: Says): Promise<void> {
  assertFile(config);
  const dataDir = resolve(config.dataDir);
  await makeEmpty(dataDir, [erasureFile]);
  const name = basename(logIn(""));
  const todo = `start the service once on a directory that has the file as ${name}, with its keys`;
  await assertSchema(backup, todo);
  const keyText = await readIfThere(keyOfBackup(backup));
  const headText = await readIfThere(headOfBackup(backup));
  const masterKeys = config.masterKeys ?? (keyText ? parseKeyring(keyText.trim()) : undefined);
  const keys = masterKeys === undefined ? undefined : logKeysFor({ dataDir, masterKeys });
  const head = headText === undefined ? undefined : parseHead(headText);
  if (headText !== undefined && head === undefined) {
    throw new ConfigError(
      `${headOfBackup(backup)} is not a head of a log: replace it with the right one.`,
    );
  }
  const heads = head === undefined ? [] : [{ name: headOfBackup(backup), head }];
  let lines = headText;
  // The log gets its name last: cut off before, no log is there without what belongs to it.
  await make(logIn(dataDir), async (log) => {
    await copyWhole(backup, log, { keys, heads }, says);
    if (!head && keys) lines = await headOf(log, keys, Date.now());
    if (lines) await make(join(dataDir, headFile), (draft) => writeFile(draft, lines ?? ""));
    if (keyText) await make(keyFileIn(dataDir), (draft) => writeFile(draft, keyText));
  });
  if (!head) says.say("No head was beside it, so a truncated end would not be detected.");
  says.say(`Restored ${backup} as ${logIn(dataDir)}.`);
  says.say(`Tokens stay valid. Backups leave out ${tokenFile}: see the command token.`);
  if (!keyText && !config.masterKeys) says.say(sayKey(dataDir));
  if (!lines) says.say(`Start once with --accept-history-from ${backup}.`);
  says.say(
    `It may hold people who were erased later. The first start erases them again if ` +
      `${erasureFile} of the old directory is here, or at the anchor.`,
  );
}

async function copyWhole(log: string, draft: string, proofs: Proofs, says: Says): Promise<void> {
  await orRefused(`${log} cannot be copied`, copySqlite(log, draft));
  await assertWhole(log, draft, proofs, says);
}

/** Rejects with a ConfigError where another version of the program has made the tables. */
async function assertSchema(log: string, todo: string): Promise<void> {
  const { found, made } = await orRefused(`${log} cannot be copied`, readSchemas(log));
  // What no program has made is told apart when it is verified.
  if (found === 0 || found === made) return;
  const older = isTooOld(found) ? openOnce : todo;
  const how = found < made ? older : "use the newer version of the program that wrote it";
  throw new ConfigError(`${log} has schema ${found}, and this program needs ${made}: ${how}.`);
}

/** Verifies a draft. What is said of it is true of what it was made of. */
export async function assertWhole(
  source: string,
  path: string,
  proofs: Proofs,
  { say, progress }: Says,
): Promise<void> {
  const options = { path, projector, progress, ...proofs };
  if (await printVerification(source, (report) => verifySqlite(options, report), say)) return;
  throw new ConfigError(
    `${source} is damaged, or from an older version of the program: no copy was kept.`,
  );
}

/** The end of the log in a file, sealed, as a line. */
export async function headOf(path: string, keys: LogKeys, timeMs: number): Promise<string> {
  const { id, key, ...end } = await readEnd({ path, keys });
  return sealHead({ log: id, ...end, timeMs }, key);
}

/** Makes a data directory that has nothing but what is allowed. */
export async function makeEmpty(dataDir: string, allowed: readonly string[]): Promise<void> {
  await makeDataDir(dataDir);
  await assertEmpty(dataDir, allowed);
}

/** Rejects with a ConfigError where a directory is there and has something but what is allowed. */
export async function assertEmpty(dataDir: string, allowed: readonly string[]): Promise<void> {
  const found = await readdir(dataDir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw new ConfigError(`${dataDir} cannot be read: ${cause.code}`, { cause });
  });
  const other = found.find((name) => !allowed.includes(name));
  if (other === undefined) return;
  throw new ConfigError(`${dataDir} is not empty (${other}): name an empty directory.`);
}

/** Makes a file that is not there yet, whole or not at all, also where a signal ends that. */
export async function make(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const isMade = await unlessEnded((begun) =>
    writeExclusively(path, random, async (draft) => {
      begun(draft);
      await write(draft);
    }),
  ).catch((cause) => {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    const why = code === "ENOENT" ? "its directory does not exist" : code;
    throw new ConfigError(`${path} cannot be created: ${why}`, { cause });
  });
  if (!isMade) throw new ConfigError(`${path} already exists: name another.`);
}

/** Does work that says which draft it has begun; a signal that ends the process removes that. */
async function unlessEnded<T>(work: (begun: (draft: string) => void) => Promise<T>): Promise<T> {
  let [draft, ending]: [string?, NodeJS.Signals?] = [];
  const end = () => {
    if (draft === undefined || ending === undefined) return;
    // With the files that SQLite has beside it.
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(draft + end, { force: true });
    process.kill(process.pid, ending);
  };
  const hear = (signal: NodeJS.Signals) => {
    ending = signal;
    end();
  };
  const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, hear);
  try {
    return await work((begun) => {
      draft = begun;
      end();
    });
  } finally {
    for (const signal of signals) process.off(signal, hear);
  }
}

/** Where the keys lie of a backup that was made with them. */
function keyOfBackup(backup: string): string {
  return `${resolve(backup)}.key`;
}

/** Where the head of a backup lies. */
function headOfBackup(backup: string): string {
  return `${resolve(backup)}.head`;
}

/** For example iam-20261122T110825Z.db, so that names sort by time. */
function nameAt(nowMs: number): string {
  return `iam-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}

/** What is known of a path; undefined where nothing is, or nobody may look. */
const statOf = (path: string) => stat(path).catch(() => undefined);

/** What has to come to a data directory before a start, where its log came without the keys. */
export function sayKey(dataDir: string): string {
  return `Copy ${keyFile} of the old directory to ${keyFileIn(dataDir)}, or set IAM_MASTER_KEY.`;
}
