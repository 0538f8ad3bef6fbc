import type { Spread } from "./results.ts";

/**
 * Lines of aligned columns: the first to the left, all others to the right. Where a spread is
 * marked, the last line says what the mark means.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...all.map((cells) => (cells[column] ?? "").length)),
  );
  const lines = all.map((cells) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd(),
  );
  const isMarked = all.some((cells) => cells.some((cell) => cell.endsWith(spreadMark)));
  return [...lines, ...(isMarked ? [spreadNote] : [])].join("\n");
}

/** A number with as many digits as are worth reading. */
export function brief(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Percent of the median by which a repetition may lie off it before the row is marked. */
const spreadMax = 15;

const spreadMark = "!";
const spreadNote = `${spreadMark}  repetitions lie further apart than ±${spreadMax} %`;

/** How far the repetitions lie from their median: `-4 +2 %`, marked with `!` past 15 %. */
export function spreadText({ median, min, max }: Spread): string {
  if (median === 0) return "";
  const [below, above] = [min, max].map((value) =>
    Math.abs(Math.round((value / median - 1) * 100)),
  );
  const mark = Math.max(below ?? 0, above ?? 0) > spreadMax ? spreadMark : "";
  return `-${below} +${above} %${mark.padStart(2)}`;
}
