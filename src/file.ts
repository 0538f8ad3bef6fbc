import { constants, type Stats } from "node:fs";
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** A file cannot be read, made or written; the message names it and says why. */
export class FileUnusable extends Error {
  override readonly name = "FileUnusable";
  /** The system's word, like EISDIR, or what is there that is no file. */
  readonly code: string;
  /** What stands behind the name, for those who are not to know where the file lies. */
  readonly why: string;

  constructor(path: string, what: "read" | "made" | "written", code: string) {
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
 * when this resolves. A line that was cut by a failure ends first. Rejects with FileUnusable.
 */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW;
  await inRegular({ path, flags, what: "written" }, async (file, { size }) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0));
    const begin = bytesRead === 0 || buffer.toString() === "\n" ? "" : "\n";
    await file.appendFile(`${begin}${lines.join("\n")}\n`);
    await file.sync();
    if (size === 0) await syncDirectory(dirname(path));
  });
}

/**
 * What the file holds, or undefined where there is none. Rejects with FileUnusable, at once where
 * there is a pipe in its place.
 */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await readRegular(path, constants.O_RDONLY);
}

/** The same of a file to which lines are added: a link would have them added elsewhere. */
export async function readLines(path: string): Promise<string | undefined> {
  return await readRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
}

/** The same of what an operator names, which may be a pipe. */
export async function readGiven(path: string): Promise<string | undefined> {
  return await orUndefined(orUnusable(path, "read", readFile(path, "utf8")));
}

/** What the system says of what lies there; undefined where nothing does. Rejects as it does. */
export async function statIfThere(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function readRegular(path: string, flags: number): Promise<string | undefined> {
  const read = (file: FileHandle) => file.readFile("utf8");
  return await orUndefined(inRegular({ path, flags, what: "read" }, read));
}

/** Whatever it resolves to, or undefined where there is no file. */
async function orUndefined(reading: Promise<string>): Promise<string | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof FileUnusable && error.code === "ENOENT") return undefined;
    throw error;
  });
}

interface Opening {
  readonly path: string;
  readonly flags: number;
  readonly what: "read" | "written";
}

/** Does something with a regular file; to open anything else waits for nobody. */
async function inRegular<T>(
  { path, flags, what }: Opening,
  work: (file: FileHandle, stats: { readonly size: number }) => Promise<T>,
): Promise<T> {
  const opening = open(path, flags | constants.O_NONBLOCK, 0o600);
  const file = await orUnusable(path, what, opening);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new FileUnusable(path, what, "EISDIR");
    if (!stats.isFile()) throw new FileUnusable(path, what, "it is no regular file");
    return await orUnusable(path, what, work(file, stats));
  } finally {
    await file.close();
  }
}

/** What it resolves to; where the system refuses, it rejects with FileUnusable. */
async function orUnusable<T>(path: string, what: Opening["what"], work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!isOfSystem(error)) throw error;
    const isLink = error.code === "ELOOP";
    throw new FileUnusable(path, what, isLink ? "it is a symbolic link" : error.code);
  });
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
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
