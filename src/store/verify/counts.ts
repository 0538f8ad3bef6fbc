import { type LogReader, walkRows } from "./reader.ts";
import type { CountRow } from "./rows.ts";
import { legible, type Report } from "./text.ts";

/** Compares `counts` with the objects that lists see under each parent. */
export async function compareCounts(reader: LogReader, report: Report): Promise<void> {
  const compareGroup = ({ kind, parent, objects, counted }: CountRow) => {
    const name = nameOf(kind, parent);
    if (counted === null) report(`${name}: it is missing, and should be ${objects}`);
    else if (counted !== objects) report(`${name}: it is ${counted}, not ${objects}`);
  };
  const compareCount = ({ kind, parent, objects }: CountRow) => {
    if (objects === 0n) report(`${nameOf(kind, parent)}: no object explains it`);
  };
  await walkRows(reader, "groups", (rows) => rows.forEach(compareGroup));
  await walkRows(reader, "counts", (rows) => rows.forEach(compareCount));
}

function nameOf(kind: string, parent: string): string {
  return `count of ${legible(kind)} under ${legible(parent)}`;
}
