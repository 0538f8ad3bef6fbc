import { link, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** A file cannot be read or made; the message names it and says why in the system's words. */
export class FileUnusable extends Error {
  override readonly name = "FileUnusable";
  /** The system's word, like EISDIR. */
  readonly code: string;
  /** What stands behind the name, for those who are not to know where the file lies. */
  readonly why: string;

  constructor(path: string, what: "read" | "made", code: string) {
    const why = `cannot be ${what}: ${code}`;
    super(`${path} ${why}`);
    this.code = code;
    this.why = why;
  }
}

/** The requested number of random bytes, which name the draft of a file. */
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
  if (existing !== undefined) {
    // It may be so new that its name is not on disk yet.
    await syncDirectory(dirname(path));
    return existing;
  }
  const write = (draft: string) => writeFile(draft, create());
  await writeExclusively(path, random, write).catch((error) => {
    throw isOfSystem(error) ? new FileUnusable(path, "made", error.code) : error;
  });
  const text = await readIfThere(path);
  // A link to nowhere has its name taken, and nothing behind it.
  if (text === undefined) throw new FileUnusable(path, "read", "ENOENT");
  return text;
}

/**
 * Makes a directory for its owner alone where there is none, and those that lead to it. Their names
 * are on the disk when this resolves. Rejects as the system does.
 */
export async function makeDirectory(path: string, sync = syncDirectory): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  const highest = dirname(resolve(first ?? path));
  for (let above = resolve(path); above !== highest; ) {
    above = dirname(above);
    await sync(above).catch((error: NodeJS.ErrnoException) => {
      // Somebody else may have made what is there, in a directory that is not ours to read.
      if (first !== undefined || error.code !== "EACCES") throw error;
    });
  }
}

/** Removes a file, which is gone from the disk when this resolves; there may be none. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncDirectory(dirname(path));
}

/**
 * Adds lines to a file, which is made for its owner alone where there is none. They are on the disk
 * when this resolves. A line that was cut by a failure ends first. Rejects as the system does.
 */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0));
    const begin = bytesRead === 0 || buffer.toString() === "\n" ? "" : "\n";
    await file.appendFile(`${begin}${lines.join("\n")}\n`);
    await file.sync();
    if (size === 0) await syncDirectory(dirname(path));
  } finally {
    await file.close();
  }
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
  return await withDraft(path, random, write, async (draft) => {
    try {
      await link(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

/**
 * Puts a file with the text, for its owner alone, in the place of the one that may be there. It
 * comes whole or not at all, and is on the disk when this resolves. Rejects with FileUnusable.
 */
export async function replace(path: string, text: string, random: Random): Promise<void> {
  const write = (draft: string) => writeFile(draft, text);
  await withDraft(path, random, write, (draft) => rename(draft, path)).catch((error) => {
    throw isOfSystem(error) ? new FileUnusable(path, "made", error.code) : error;
  });
}

/** Writes a draft, and has it take its place once it is on the disk. */
async function withDraft<T>(
  path: string,
  random: Random,
  write: (draft: string) => Promise<unknown>,
  put: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${path}.${Buffer.from(random(8)).toString("hex")}`;
  await (await open(draft, "wx", 0o600)).close();
  try {
    await write(draft);
    await sync(draft);
    const placed = await put(draft);
    await syncDirectory(dirname(path));
    return placed;
  } finally {
    await rm(draft, { force: true });
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
