import { join } from "node:path";
import { readIfThere, replace } from "../file.ts";

/** The file of a data directory that has the time of its last backup. */
export const backupFile = "iam.backup";

/**
 * Notes when a backup of the directory was made (Unix milliseconds). Rejects with FileUnusable;
 * then the note of before is there still.
 */
export async function noteBackup(
  dataDir: string,
  nowMs: number,
  random: Parameters<typeof replace>[2],
): Promise<void> {
  await replace(join(dataDir, backupFile), `${new Date(nowMs).toISOString()}\n`, random);
}

/** When the last one was made; undefined where that is not known. */
export async function lastBackupIn(dataDir: string): Promise<number | undefined> {
  const text = await readIfThere(join(dataDir, backupFile)).catch(() => undefined);
  const timeMs = Date.parse(text?.trim() ?? "");
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
