import type { Fault } from "./fault.ts";

/** Mistakes in searching the log. */
export const searchFaults: readonly Fault[] = [
  ["search including after", ["../span.ts", "const lowest = after + 1n;", "const lowest = after;"]],
  ["search including before", ["../span.ts", "head : before - 1n", "head : before"]],
  ["search ignoring before", ["../span.ts", "before === undefined || before > head", "true"]],
  ["search always upwards", ["search.ts", "(descending ? onDown : onUp)", "onUp"]],
  ["search without its streams", ["search.ts", "streams === undefined ? [up", "true ? [up"]],
  ["streams cut like everything", ["../span.ts", "streams !== undefined || highest", "highest"]],
  ["search without its limit", ["search.ts", "positions.slice(0, limit)", "positions"]],
  ["more not noticed", ["search.ts", "limit: limit + 1,", "limit,"]],
  [
    "one position too many",
    [
      "../span.ts",
      "highest - after <= searchLimits.positions;",
      "highest - after <= searchLimits.positions + 1;",
    ],
  ],
  [
    "one position too few",
    [
      "../span.ts",
      "highest - after <= searchLimits.positions;",
      "highest - after < searchLimits.positions;",
    ],
  ],
  [
    "any number of positions",
    ["../span.ts", "highest - after <= searchLimits.positions;", "highest > 0n;"],
  ],
  [
    "upwards a position skipped",
    ["../span.ts", ": after + most;", ": after + most + 1n;"],
    ["../span.ts", "highest: through, start: after", "highest: through - 1n, start: after"],
  ],
  [
    "downwards a position skipped",
    ["../span.ts", "return { lowest: through, highest", "return { lowest: through + 1n, highest"],
  ],
  [
    "page skips what it did not hold",
    ["search.ts", "hasMore ? (rows.at(-1)?.position ?? span.start) : span.through", "span.through"],
  ],
  [
    "page of none goes on from the start",
    ["search.ts", "rows.at(-1)?.position ?? span.start", "rows.at(-1)?.position ?? 0n"],
  ],
  ["end where the page is full", ["search.ts", "!hasMore && span.isAll", "span.isAll"]],
  ["end where the look is over", ["search.ts", "!hasMore && span.isAll", "!hasMore"]],
  [
    "reader ahead of the log set back",
    ["../span.ts", "const highest = max(end, after);", "const highest = end;"],
  ],
  [
    "kind as a prefix of the name",
    ["search.ts", `\`\${kind}-\``, "kind"],
    [
      "search.ts",
      "substr(stream, 1, instr(stream, '-')) IN (SELECT value FROM json_each(@kinds))",
      "EXISTS (SELECT 1 FROM json_each(@kinds) WHERE instr(stream, value) = 1)",
    ],
  ],
  [
    "kind up to any hyphen",
    [
      "search.ts",
      "substr(stream, 1, instr(stream, '-')) IN (SELECT value FROM json_each(@kinds))",
      "EXISTS (SELECT 1 FROM json_each(@kinds) WHERE instr(stream, value) = 1)",
    ],
  ],
  [
    "name without a hyphen of every kind",
    [
      "search.ts",
      "substr(stream, 1, instr(stream, '-')) IN",
      "instr(stream, '-') = 0 OR substr(stream, 1, instr(stream, '-')) IN",
    ],
  ],
  ...["types", "kinds"].map(
    (name): Fault => [
      `search ignoring ${name}`,
      ["search.ts", `(@${name} IS NULL OR`, `(TRUE OR @${name} IS NULL OR`],
    ],
  ),
  ...["owner", "actor", "fromMs", "untilMs"].map(
    (name): Fault => [
      `search ignoring ${name}`,
      ["search.ts", `(@${name} IS NULL OR`, `(TRUE OR @${name} IS NULL OR`],
    ],
  ),
  ["time from excluded", ["search.ts", "time >= @fromMs", "time > @fromMs"]],
  ["time until excluded", ["search.ts", "time <= @untilMs", "time < @untilMs"]],
  ["no actor like any actor", ["search.ts", "actor: actor ?? null", "actor: actor || null"]],
  [
    "no types like any type",
    ["search.ts", "types: listOf(types)", "types: types?.length ? listOf(types) : null"],
  ],
  [
    "streams looked for position by position",
    ["search.ts", "AND +position", "AND position"],
    ["search.ts", "CROSS JOIN events\n", "CROSS JOIN events NOT INDEXED\n"],
  ],
  [
    "streams looked through from their beginning",
    ["search.ts", "AND version BETWEEN first AND last AND", "AND"],
  ],
  [
    "version of the span's end left out",
    ["../span.ts", "max(low) - 1 AS last", "max(low) - 2 AS last"],
  ],
  [
    "nothing left to a long stream by short ones",
    ["../span.ts", "left -= min(share, lengthOf(versions));", "left -= share;"],
  ],
  [
    "one version past the share",
    ["../span.ts", "versions.last + 1n - share", "versions.last - share"],
    ["../span.ts", "versions.first + share - 1n", "versions.first + share"],
  ],
  [
    "page through the longest share",
    ["../span.ts", "descending ? max : min", "descending ? min : max"],
  ],
  ["end of a span that was cut", ["../span.ts", "through, isAll: false };", "through };"]],
  [
    "everything looked for by another index",
    ["search.ts", "events NOT INDEXED WHERE position", "events WHERE +position"],
  ],
];
