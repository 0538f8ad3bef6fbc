import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Random } from "../gateway/native/random.ts";
import type { Recorded } from "./journal.ts";

/**
 * What a disk may hold when its power fails: all that was forced to it, and of what was not any
 * part. Sectors of a file get there in any order, each whole; a file has its old size, its new one
 * or one between; names come and go by themselves, new directories too, until their directory was
 * forced to the disk (POSIX promises no more than that).
 */
export interface PowerlessDisk {
  /** Does what the journal says next. */
  apply(record: Recorded): void;
  /** One of the many things that it may hold if the power fails now. */
  image(random: Random): Image;
}

/** Files by their path below the root; an empty directory is not there. */
export type Image = ReadonlyMap<string, Buffer>;

interface File {
  /** What surely is on the disk. */
  durable: Buffer;
  /** What was done since, in its order. */
  pending: Change[];
}

type Change = { readonly offset: number } & (
  | { readonly kind: "write"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number }
);

type Names = Map<string, File | "directory">;

interface Renaming {
  readonly offset: number;
  readonly directory: string;
  apply(names: Names): void;
}

/** A disk on which nothing lies below the root, which is there. */
export function createPowerlessDisk(root: string): PowerlessDisk {
  const files = new Map<bigint, File>();
  const now: Names = new Map([[root, "directory"]]);
  const durable: Names = new Map(now);
  let pending: Renaming[] = [];

  function rename(offset: number, path: string, apply: (names: Names) => void): void {
    apply(now);
    pending.push({ offset, directory: dirname(path), apply });
  }

  function change(inode: bigint, made: Change): void {
    files.get(inode)?.pending.push(made);
  }

  return {
    apply(record) {
      const { offset } = record;
      switch (record.kind) {
        case "write":
        case "truncate":
          return change(record.inode, record);
        case "sync": {
          const file = files.get(record.inode);
          if (file !== undefined) force(file, record.before);
          return;
        }
        case "sync-directory": {
          const { path, before } = record;
          const isDue = (one: Renaming) => one.directory === path && one.offset < before;
          for (const one of pending.filter(isDue)) one.apply(durable);
          pending = pending.filter((one) => !isDue(one));
          return;
        }
        case "create": {
          const file: File = { durable: Buffer.alloc(0), pending: [] };
          files.set(record.inode, file);
          return rename(offset, record.path, (names) => names.set(record.path, file));
        }
        case "mkdir":
          return rename(offset, record.path, (names) => names.set(record.path, "directory"));
        case "unlink":
          return rename(offset, record.path, (names) => names.delete(record.path));
        case "link":
        case "rename": {
          const { kind, from, to } = record;
          const file = now.get(from);
          if (file === undefined) return;
          return rename(offset, to, (names) => {
            names.set(to, file);
            if (kind === "rename") names.delete(from);
          });
        }
      }
    },
    image(random) {
      const names: Names = new Map(durable);
      for (const one of someOf(pending, random)) one.apply(names);
      const isReached = (path: string): boolean =>
        path === root || (names.get(dirname(path)) === "directory" && isReached(dirname(path)));
      const image = new Map<string, Buffer>();
      for (const [path, file] of names) {
        if (file === "directory" || !isReached(path)) continue;
        image.set(relative(root, path), contentOf(file, random));
      }
      return image;
    },
  };
}

/** Writes an image into a directory. */
export async function writeImage(directory: string, image: Image): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [path, bytes] of image) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, bytes, { mode: 0o600 });
  }
}

function force(file: File, before: number): void {
  const due = file.pending.filter(({ offset }) => offset < before);
  const target = grow(file.durable, due);
  file.durable = due.reduce(apply, target).subarray(0, sizesOf(file.durable.length, due).at(-1));
  file.pending = file.pending.filter(({ offset }) => offset >= before);
}

function someOf<T>(all: readonly T[], random: Random): readonly T[] {
  const first = random.below(all.length + 1);
  switch (random.pick(["none", "all", "first", "any"] as const)) {
    case "none":
      return [];
    case "all":
      return all;
    case "first":
      return all.slice(0, first);
    case "any":
      return all.filter(() => random.once(2));
  }
}

/** What a file may hold. */
function contentOf({ durable, pending }: File, random: Random): Buffer {
  const sizes = sizesOf(durable.length, pending);
  const form = random.pick(["old", "new", "torn", "sectors", "sectors", "garbage"] as const);
  if (pending.length === 0 || form === "old") return durable;
  const content = Buffer.from(grow(durable, pending));
  if (form === "garbage") {
    for (let at = durable.length; at < content.length; at += 1) content[at] = random.below(256);
  }
  if (form === "new") return pending.reduce(apply, content).subarray(0, sizes.at(-1));
  if (form === "torn") {
    const count = random.below(pending.length);
    pending.slice(0, count).reduce(apply, content);
    const last = pending[count];
    if (last?.kind !== "write") return content.subarray(0, sizes[count]);
    const bytes = last.bytes.subarray(0, random.below(last.bytes.length + 1));
    bytes.copy(content, last.at);
    return content.subarray(0, Math.max(sizes[count] ?? 0, last.at + bytes.length));
  }
  mixSectors(content, pending, random);
  return content.subarray(0, random.pick(sizes));
}

/** Brings each sector to one of the versions that it had since it was forced to the disk. */
function mixSectors(content: Buffer, pending: readonly Change[], random: Random): void {
  const sectorBytes = random.pick([512, 4096]);
  const writes = pending.filter((change) => change.kind === "write");
  const counts = new Map<number, number>();
  const each = (visit: (sector: number, change: (typeof writes)[number]) => void) => {
    for (const change of writes) {
      const last = Math.floor((change.at + change.bytes.length - 1) / sectorBytes);
      for (let sector = Math.floor(change.at / sectorBytes); sector <= last; sector += 1) {
        visit(sector, change);
      }
    }
  };
  each((sector) => counts.set(sector, (counts.get(sector) ?? 0) + 1));
  const left = new Map([...counts].map(([sector, count]) => [sector, random.below(count + 1)]));
  each((sector, { at, bytes }) => {
    const more = left.get(sector) ?? 0;
    left.set(sector, more - 1);
    if (more <= 0) return;
    const from = Math.max(at, sector * sectorBytes);
    const to = Math.min(at + bytes.length, (sector + 1) * sectorBytes);
    bytes.copy(content, from, from - at, to - at);
  });
}

/** The sizes of a file: before the changes, and after each. */
function sizesOf(size: number, changes: readonly Change[]): readonly number[] {
  let current = size;
  const after = changes.map((change) => {
    const end = change.kind === "write" ? change.at + change.bytes.length : change.size;
    current = change.kind === "write" ? Math.max(current, end) : end;
    return current;
  });
  return [size, ...after];
}

/** The content, with zeros up to the largest size that the changes give it. */
function grow(content: Buffer, changes: readonly Change[]): Buffer {
  const size = Math.max(...sizesOf(content.length, changes));
  return size === content.length ? content : Buffer.concat([content], size);
}

/** Does one change in place; what a truncation cuts off reads as zeros if the file grows anew. */
function apply(content: Buffer, change: Change): Buffer {
  if (change.kind === "write") change.bytes.copy(content, change.at);
  else content.fill(0, change.size);
  return content;
}
