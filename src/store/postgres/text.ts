// PostgreSQL keeps every character but U+0000. So that none is lost, it is written as two, and what
// it is written with, too: in the same order by code points, and with the same beginnings.

const [zero, mark] = ["\u0000", "\u0001"];
const marked = new RegExp(`${mark}(.)`, "gsu");

/** The text as PostgreSQL keeps it. */
export function toStored(text: string): string {
  if (!text.includes(zero) && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}\u0002`).replaceAll(zero, `${mark}${mark}`);
}

/** The text that is kept so. */
export function fromStored(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replaceAll(marked, (_, which) => (which === mark ? zero : mark));
}

/** The same for what may be missing. */
export function toStoredOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toStored(text);
}

/** The row with its texts as they were before they were stored. */
export function decoded<Row extends object>(row: Row): Row {
  const texts = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "string" ? fromStored(value) : value,
  ]);
  return Object.fromEntries(texts);
}
