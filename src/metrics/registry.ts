import { metricLimits } from "./limits.ts";

/** One metric with all its series: what it is called, and how many series it may have. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** What it says, as a sentence without its full stop. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Series at most; those past it count for one whose labels are all `other`. */
  readonly seriesMax: number;
  /** The upper bounds of the buckets of a histogram, in order. */
  readonly bounds: readonly number[];
  /** What of several processes is told: the sum of their values, the largest or the smallest. */
  readonly of: "sum" | "max" | "min";
}

/** A series with its values: of a histogram one for each bucket, the sum, and the count. */
export interface Series {
  readonly labels: readonly string[];
  readonly values: readonly number[];
}

/** A metric as it was at one moment; it can be sent to another process as JSON. */
export interface Reading extends Family {
  readonly series: readonly Series[];
}

/** Records the values of a metric. */
export interface Meter {
  /** The index of the series with these labels, found once for as many records as there are. */
  series(first?: string, second?: string, third?: string): number;
  /** The same, where there is such a series; else that of `other`. */
  known(first?: string, second?: string, third?: string): number;
  add(series: number, value?: number): void;
  /** Sets a gauge; undefined where nobody knows, which is not told. */
  set(series: number, value: number | undefined): void;
  /** Counts a value for its bucket of a histogram. */
  observe(series: number, value: number): void;
  /** Adds all series with this first label to those of `other`, and frees their rows. */
  fold(first: string): void;
  read(): Reading;
}

/** The label of what has no series of its own. */
export const other = "other";

/** How many numbers, and lines of the text, one series has. */
export function widthOf({ type, bounds }: Family): number {
  return type === "histogram" ? bounds.length + 3 : 1;
}

/**
 * Makes the meters of some families. All numbers lie in arrays whose size is known at once, so that
 * a record allocates nothing. Throws a RangeError where the families may have too many series.
 */
export function createRegistry<Families extends { readonly [key: string]: Family }>(
  families: Families,
): { readonly [key in keyof Families]: Meter } {
  const all = Object.values(families);
  const series = all.reduce((sum, one) => sum + one.seriesMax * widthOf(one), 0);
  if (series > metricLimits.series) {
    throw new RangeError(`${series} series are more than ${metricLimits.series}`);
  }
  const meters = Object.entries(families).map(([key, family]) => [key, createMeter(family)]);
  return Object.fromEntries(meters);
}

type Tree = Map<string, Tree | number>;

function createMeter(family: Family): Meter {
  const { seriesMax, bounds, labels } = family;
  const width = widthOf(family);
  const values = new Float64Array(seriesMax * width);
  const taken = new Array<readonly string[] | undefined>(seriesMax).fill(undefined);
  const root: Tree = new Map();
  const count = (at: number, value: number) => {
    values[at] = (values[at] ?? 0) + value;
  };

  /** The last row is for what has none of its own. */
  function take(named: readonly string[]): number {
    const free = taken.indexOf(undefined);
    const isLast = free === seriesMax - 1 && labels.length > 0;
    const row = free < 0 || isLast ? seriesMax - 1 : free;
    taken[row] = row === seriesMax - 1 && labels.length > 0 ? labels.map(() => other) : named;
    if (row === free && !isLast) plant(named, row * width);
    return row * width;
  }

  function plant(named: readonly string[], at: number): void {
    const tree = named.slice(0, -1).reduce((node, label) => {
      const next = node.get(label);
      const below: Tree = next instanceof Map ? next : new Map();
      node.set(label, below);
      return below;
    }, root);
    tree.set(named.at(-1) ?? "", at);
  }

  const find = (named: readonly (string | undefined)[]) => {
    let node: Tree | number | undefined = root;
    for (let at = 0; at < Math.max(labels.length, 1) && node instanceof Map; at += 1) {
      node = node.get(named[at] ?? "");
    }
    return typeof node === "number" ? node : undefined;
  };
  const series = (...named: [string?, string?, string?]) =>
    find(named) ?? take(labels.map((_, at) => named[at] ?? ""));

  return {
    series,
    known: (...named) => {
      const found = find(named);
      if (found !== undefined) return found;
      taken[seriesMax - 1] = labels.map(() => other);
      return (seriesMax - 1) * width;
    },
    add: (at, value = 1) => count(at, value),
    set: (at, value = Number.NaN) => {
      values[at] = value;
    },
    observe: (at, value) => {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
      count(at + bucket, 1);
      count(at + width - 2, value);
      count(at + width - 1, 1);
    },
    fold: (first) => {
      for (const [row, named] of taken.entries()) {
        if (named?.[0] !== first) continue;
        taken[row] = undefined;
        const gone = values.slice(row * width, (row + 1) * width);
        values.fill(0, row * width, (row + 1) * width);
        const to = series(other, named[1], named[2]);
        for (const [index, value] of gone.entries()) count(to + index, value);
      }
      root.delete(first);
    },
    read: () => {
      const told = taken.flatMap((named, row) => {
        const own = [...values.subarray(row * width, (row + 1) * width)];
        return named === undefined || own.some(Number.isNaN)
          ? []
          : [{ labels: named, values: own }];
      });
      return { ...family, series: told };
    },
  };
}
