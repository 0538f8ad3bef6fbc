import type { Reading, Series } from "./registry.ts";

/** The type of the text. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics as Prometheus reads them (text format 0.0.4); those without series are left out. */
export function textOf(readings: readonly Reading[]): string {
  return readings
    .filter(({ series }) => series.length > 0)
    .map(familyText)
    .join("");
}

function familyText(reading: Reading): string {
  const { name, help, type, series } = reading;
  const lines = series.flatMap((one) => seriesLines(reading, one));
  return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
}

function seriesLines({ name, type, labels, bounds }: Reading, series: Series): readonly string[] {
  const own = labels.map((label, at) => `${label}="${escaped(series.labels[at] ?? "")}"`);
  const line = (suffix: string, more: readonly string[], value: number) => {
    const all = [...own, ...more].join();
    return `${name}${suffix}${all && `{${all}}`} ${value}`;
  };
  if (type !== "histogram") return [line("", [], series.values[0] ?? 0)];
  const [sum = 0, count = 0] = series.values.slice(-2);
  let below = 0;
  const buckets = [...bounds, "+Inf"].map((bound, at) => {
    below += series.values[at] ?? 0;
    return line("_bucket", [`le="${bound}"`], below);
  });
  return [...buckets, line("_sum", [], sum), line("_count", [], count)];
}

function escaped(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
