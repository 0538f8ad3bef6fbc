import type { KeyObject } from "node:crypto";
import { FileUnusable } from "../file.ts";
import { createEntrySeal, type ErasureEntry } from "../store/chain/erasure-entry.ts";
import type { ErasurePlace } from "./erasure-places.ts";
import { problemOf } from "./head-places.ts";
import { readEntries } from "./read-entries.ts";

interface ListOptions {
  /** The id of the log, and its key. */
  readonly log: string;
  readonly key: KeyObject;
  readonly lines: Record<"error" | "warn" | "info", (members: object, line: string) => void>;
}

/** Keeps the list of erasures in a place, of which nothing is ever taken out. */
export function keepList(place: ErasurePlace, { log, key, lines }: ListOptions) {
  const { name, isFile } = place;
  const seal = createEntrySeal(key);
  /** What the list has or will have. */
  const known = new Set<string>();
  let waiting: readonly ErasureEntry[] = [];
  let writing: Promise<void> = Promise.resolve();
  let isList = isFile;
  /** Lines that nobody wrote who has the key of the log. */
  let forged = 0;
  const problems = new Map<Doing, string>();

  /** Whether it can be done; tells once of each problem, and when it is over. */
  async function trying(doing: Doing, work: () => Promise<void>): Promise<boolean> {
    const before = problems.get(doing);
    try {
      await work();
      problems.delete(doing);
      if (before !== undefined)
        lines.info({ place: name }, `the list of erasures is ${doing} again`);
      return true;
    } catch (error) {
      // The line says already what cannot be done.
      const why = error instanceof FileUnusable ? error.code : problemOf(error);
      problems.set(doing, why);
      const line = `the list of erasures cannot be ${doing}`;
      if (why !== before) lines.error({ place: name, why }, line);
      return false;
    }
  }

  async function write(): Promise<void> {
    const entries = waiting;
    waiting = [];
    if (entries.length === 0) return;
    const add = () => place.add(entries.map(seal.seal));
    if (!(await trying("written", add))) waiting = [...entries, ...waiting];
  }

  /** Adds what could not be added. */
  function retry(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  /** Its entries of this log; undefined where they cannot be read, which is told. */
  async function read(): Promise<readonly ErasureEntry[] | undefined> {
    let entries: readonly ErasureEntry[] = [];
    const isRead = await trying("read", async () => {
      const text = await place.read();
      isList ||= text !== undefined;
      const progress = (line: string) => lines.info({ place: name }, line);
      const { forged: found, ...read } = await readEntries(text ?? "", { log, seal, progress });
      entries = read.entries;
      const line = "the list of erasures has forged lines";
      if (found > forged) lines.error({ place: name, forged: found }, line);
      forged = found;
    });
    for (const entry of entries) known.add(nameOf(entry));
    return isRead ? entries : undefined;
  }

  /** Adds those that it has not, and resolves once they are there or that has failed. */
  async function add(entries: readonly ErasureEntry[]): Promise<void> {
    const more = entries.filter((entry) => !known.has(nameOf(entry)));
    if (more.length === 0) return;
    for (const entry of more) known.add(nameOf(entry));
    waiting = [...waiting, ...more];
    await retry();
  }

  return {
    ...{ isFile, read, add, retry },
    /** As `add`, of what the log has: where the list can be read and others may add to it. */
    merge: async (entries: readonly ErasureEntry[]) => {
      const isMissing = entries.some((entry) => !known.has(nameOf(entry)));
      // Who keeps no list was told of each erasure by the node that made it.
      if (isMissing && (await read()) !== undefined && isList) await add(entries);
    },
    /** What is wrong with the list, as sentences. */
    warnings: () =>
      [...problems].map(
        ([doing, why]) => `The list of erasures in ${name} cannot be ${doing}: ${why}.`,
      ),
  };
}

type Doing = "read" | "written";

function nameOf({ user, position }: ErasureEntry): string {
  return `${user} ${position}`;
}
