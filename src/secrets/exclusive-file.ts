import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { RandomBytes } from "./tokens.ts";

/**
 * What the file holds; where there is none, it is created with the given text, for its owner alone.
 * It appears whole or not at all and never over one that is there: of several processes that start
 * at once, all get the text of one. It has reached the disk when this resolves, so what is done
 * with the text cannot outlive it.
 */
export async function readOrCreate(
  path: string,
  create: () => string,
  random: RandomBytes,
): Promise<string> {
  const existing = await readIfThere(path);
  if (existing === undefined) await createExclusively(path, create(), random);
  // Even a file that was there may be so new that its name is not on disk yet.
  await syncDirectory(dirname(path));
  return existing ?? (await readFile(path, "utf8"));
}

async function createExclusively(path: string, text: string, random: RandomBytes): Promise<void> {
  const draft = `${path}.${Buffer.from(random(8)).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Windows cannot open a directory and writes names through by itself. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
