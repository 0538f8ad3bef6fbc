import { readFileSync } from "node:fs";

/** Versions of the symbols of a library, as numbers to compare: 2.34 is [2, 34]. */
export type Version = readonly number[];

/** The newest version of the symbols of a library, for example `GLIBC`, that an ELF file names. */
export function floorOf(file: string, library: string): Version {
  const text = readFileSync(file, "latin1");
  const found = text.matchAll(new RegExp(`\\0${library}_(\\d+(?:\\.\\d+)*)(?=\\0)`, "g"));
  const versions = [...found].map(([, version = ""]) => version.split(".").map(Number));
  return versions.toSorted(compare).at(-1) ?? [];
}

/** Less than zero where the first version is older than the second, and 0 where they are one. */
export function compare(one: Version, other: Version): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
}
