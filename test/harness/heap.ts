import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Megabytes of the heap that are taken by what is made, and by what it keeps. */
export async function megabytesOf(make: () => Promise<object>): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  const made = await make();
  collect();
  const after = process.memoryUsage().heapUsed;
  return made && (after - before) / 1e6;
}

/** A text that is a part of another one of half a megabyte, as fields of a request are. */
export function partOfRequest(text: string): string {
  return Buffer.from(text.padEnd(500_000)).toString().slice(0, text.length);
}
