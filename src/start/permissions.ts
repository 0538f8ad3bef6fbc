import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, labelOf } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { statIfThere } from "../file.ts";
import { logIn } from "../log/in-file.ts";
import { outboxDirectory } from "../notify/channel/outbox.ts";
import { keyFile } from "../secrets/keys.ts";
import { tokenFile } from "./first-start.ts";
import { ownerLinkFile } from "./owner-link.ts";

/** Where it is told what others could do. */
interface Log {
  warn(members: object, text: string): void;
}

/**
 * Sees to it that what lies in the data directory is for its owner alone: what others may read or
 * write is mended and told. Rejects with a ConfigError where anybody may put other files there, and
 * tells where somebody may do that or see their names. Windows has no such modes.
 */
export async function closeToOthers(dataDir: string, log: Log): Promise<void> {
  if (process.platform === "win32") return;
  const directoryMode = (await modeOf(dataDir)) ?? 0;
  if ((directoryMode & 0o002) !== 0) {
    const name = `${dataDir}, ${labelOf(settings.dataDir)},`;
    throw new ConfigError(
      `${name} is writable by everybody (mode ${octal(directoryMode)}), so the log could be ` +
        `replaced: chmod 700 ${dataDir}`,
    );
  }
  if ((directoryMode & 0o077) !== 0) {
    const members = { path: dataDir, mode: octal(directoryMode) };
    log.warn(members, "the data directory is open to others than its owner: chmod 700");
  }
  const events = logIn(dataDir);
  const files = [events, `${events}-wal`, `${events}-shm`];
  const secrets = [keyFile, tokenFile, ownerLinkFile].map((name) => join(dataDir, name));
  for (const path of [...files, ...secrets]) await mend(path, 0o600, log);
  await mend(join(dataDir, outboxDirectory), 0o700, log);
}

/** Takes from others what they may do with a file or directory. */
async function mend(path: string, wanted: number, log: Log): Promise<void> {
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return;
  const members = { path, mode: octal(mode) };
  try {
    await chmod(path, wanted);
    log.warn(members, "a file that others could read or write is now restricted to its owner");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    log.warn(
      { ...members, code },
      "others may read or write a file, and its mode cannot be changed",
    );
  }
}

/** The permission bits; undefined where nothing is there. */
async function modeOf(path: string): Promise<number | undefined> {
  const found = await statIfThere(path);
  return found && found.mode & 0o777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
