import { link, open, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** A file cannot be read or made; the message names it and says why in the system's words. */
export class FileUnusable extends Error {
  override readonly name = "FileUnusable";
  /** The system's word, such as EISDIR. */
  readonly code: string;

  constructor(path: string, what: "read" | "made", code: string) {
    super(`${path} cannot be ${what}: ${code}`);
    this.code = code;
  }
}

/** As many random bytes as asked for, which name the draft of a file. */
type Random = (size: number) => Uint8Array;

/**
 * What the file holds; where there is none, it is created with the given text, for its owner alone.
 * It appears whole or not at all and never over one that is there: of several processes that start
 * at once, all get the text of one. It has reached the disk when this resolves, so what is done
 * with the text cannot outlive it. Rejects with FileUnusable.
 */
export async function readOrCreate(
  path: string,
  create: () => string,
  random: Random,
): Promise<string> {
  const existing = await readIfThere(path);
  if (existing === undefined) {
    const write = (draft: string) => writeFile(draft, create());
    await writeExclusively(path, random, write).catch((error) => {
      throw isOfSystem(error) ? new FileUnusable(path, "made", error.code) : error;
    });
  }
  // Even a file that was there may be so new that its name is not on disk yet.
  await syncDirectory(dirname(path));
  const text = existing ?? (await readIfThere(path));
  // A link to nowhere has its name taken, and nothing behind it.
  if (text === undefined) throw new FileUnusable(path, "read", "ENOENT");
  return text;
}

/** What the file holds, or undefined where there is none. Rejects with FileUnusable. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    if (error.code === "ENOENT") return undefined;
    throw new FileUnusable(path, "read", error.code);
  }
}

/**
 * Makes a file that only its owner can read, of what is written to the draft that is there, empty,
 * by then. It appears whole, has reached the disk with its name, and never takes the place of one:
 * false where one is there. The draft is gone afterwards.
 */
export async function writeExclusively(
  path: string,
  random: Random,
  write: (draft: string) => Promise<unknown>,
): Promise<boolean> {
  const draft = `${path}.${Buffer.from(random(8)).toString("hex")}`;
  await (await open(draft, "wx", 0o600)).close();
  try {
    await write(draft);
    await sync(draft);
    const isFirst = await link(draft, path).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") return false;
        throw error;
      },
    );
    await syncDirectory(dirname(path));
    return isFirst;
  } finally {
    await rm(draft);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function isOfSystem(error: unknown): error is { readonly code: string } {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
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
