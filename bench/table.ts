import type { Spread } from "./results.ts";

/** Lines of aligned columns: the first to the left, all others to the right. */
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
  return lines.join("\n");
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

/** How far the repetitions lie from their median: `-4 +2 %`. */
export function spreadText({ median, min, max }: Spread): string {
  const part = (value: number) => Math.abs(Math.round((value / median - 1) * 100));
  return median === 0 ? "" : `-${part(min)} +${part(max)} %`;
}
