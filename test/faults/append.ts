import type { Fault } from "./fault.ts";

const fold = `const fold = (value: string) => value.normalize("NFKC").toLowerCase();`;

/** Mistakes in checking and writing one append. */
export const appendFaults: readonly Fault[] = [
  [
    "no version check",
    ["append.ts", "(found[i]?.version ?? 0) !== expected", "found[i]?.version === -expected"],
  ],
  [
    "expected 0 unchecked",
    [
      "append.ts",
      "return (append) => {",
      `return (asked) => {
        const changes = asked.changes.map((change) => ({
          ...change,
          expected: change.expected || (currentOf(change.stream)?.version ?? 0),
        }));
        const append = { ...asked, changes };`,
    ],
  ],
  [
    "unchanged ignored",
    ["append.ts", "(currentOf(stream)?.version ?? 0) !== version", "version < 0"],
  ],
  [
    "versions remembered in memory",
    [
      "append.ts",
      "(stream: string) => current.get(stream);",
      "(stream: string) => known.get(stream) ?? current.get(stream);",
    ],
    ["append.ts", "  return (append) => {", "  const known = new Map();\n  return (append) => {"],
    [
      "append.ts",
      "moveClaims(append.changes, writes, holderOf);\n    return",
      `moveClaims(append.changes, writes, holderOf);
      for (const { stream, expected, events, owner } of append.changes) {
        known.set(stream, { version: expected + events.length, owner });
      }
      return`,
    ],
  ],
  ["another owner accepted", ["append.ts", "if (known !== owner)", "if (known === undefined)"]],
  ["streams folded", ["schema.ts", "TEXT NOT NULL UNIQUE", "TEXT NOT NULL UNIQUE COLLATE NOCASE"]],

  [
    "claims folded",
    [
      "schema.ts",
      "value TEXT NOT NULL,\n    stream",
      "value TEXT NOT NULL COLLATE NOCASE,\n    stream",
    ],
  ],
  [
    "claims folded within an append",
    [
      "append.ts",
      "JSON.stringify([kind, scope, value]);",
      "[kind, scope, value].join().toLowerCase();",
    ],
  ],
  [
    "claims folded beyond ASCII",
    ["append.ts", "holder.get(kind, scope, value)", "holder.get(kind, scope, fold(value))"],
    ["append.ts", "/** The first stream that", `${fold}\n/** The first stream that`],
    ["read.ts", "claim.get(kind, scope, value)", "claim.get(kind, scope, fold(value))"],
    ["read.ts", "/** A row of `events` as", `${fold}\n/** A row of \`events\` as`],
    ["write.ts", "take.run(kind, scope, value", "take.run(kind, scope, fold(value)"],
    ["write.ts", "release.run(kind, scope, value", "release.run(kind, scope, fold(value)"],
    ["write.ts", "/** Prepares the statements", `${fold}\n/** Prepares the statements`],
  ],
  ...[":", "#"].map(
    (glue): Fault => [
      `claims glued with ${glue}`,
      ...["append.ts", "read.ts"].map(
        (file) =>
          [
            file,
            "WHERE kind = ? AND scope = ? AND value = ?",
            `WHERE concat_ws('${glue}', kind, scope, value) = concat_ws('${glue}', ?, ?, ?)`,
          ] as const,
      ),
    ],
  ),
  [
    "claims glued within an append",
    ["append.ts", "JSON.stringify([kind, scope, value]);", "[kind, scope, value].join('/');"],
  ],
  [
    "claims unchecked",
    ["append.ts", "if (other !== undefined && other !== stream)", "if (!stream)"],
  ],
  [
    "own claim refused",
    ["append.ts", "if (other !== undefined && other !== stream)", "if (other !== undefined)"],
  ],
  [
    "release forgotten",
    ["append.ts", "for (const claim of release) writes.release(claim);", "void release;"],
  ],
  [
    "release forgotten at removal",
    [
      "append.ts",
      "for (const { release } of changes) {\n    for",
      "for (const { release, state } of changes) {\n    if (state !== undefined) for",
    ],
  ],
  [
    "release of what is not held accepted",
    ["append.ts", "if (laterHolderOf(claim) !== stream)", "if (!stream)"],
  ],
  [
    "claims moved before the refusal",
    ["append.ts", "    moveClaims(append.changes, writes, holderOf);\n", ""],
    [
      "append.ts",
      "    if (taken !== undefined) return",
      "    moveClaims(append.changes, writes, holderOf);\n    if (taken !== undefined) return",
    ],
  ],

  [
    "positions from a counter in memory",
    ["write.ts", "INTO events (stream,", "INTO events (position, stream,"],
    [
      "write.ts",
      "VALUES (@stream, @version, @type,",
      "VALUES (@position, @stream, @version, @type,",
    ],
    [
      "write.ts",
      "  return {\n",
      `  const highest = db.prepare("SELECT coalesce(max(position), 0) FROM events").pluck();
  let last = BigInt(highest.get());
  return {\n`,
    ],
    [
      "write.ts",
      "({ ...record, position: BigInt(event.run(record).lastInsertRowid) })",
      `{
        last += 1n;
        event.run({ ...record, position: last });
        return { ...record, position: last };
      }`,
    ],
  ],
  ["positions rounded to doubles", ["write.ts", "    )\n    .safeIntegers();", "    );"]],
  [
    "whole-second times",
    [
      "append.ts",
      "const { actor, timeMs } = append;",
      "const { actor } = append;\n  const timeMs = Math.trunc(append.timeMs / 1_000) * 1_000;",
    ],
  ],
  [
    "whole-second times in the log",
    ["read.ts", "timeMs: Number(time)", "timeMs: Number(time / 1000n) * 1_000"],
  ],
  [
    "whole-second times of objects",
    ["read.ts", "createdMs: Number(created)", "createdMs: Number(created / 1000n) * 1_000"],
  ],
  [
    "payload written anew",
    [
      "append.ts",
      "actor, timeMs, payload }),",
      "actor, timeMs, payload: JSON.stringify(JSON.parse(payload)) }),",
    ],
  ],
  ["event limit off by one", ["limits.ts", "events > appendLimits", "events >= appendLimits"]],
  ["characters counted for bytes", ["limits.ts", "Buffer.byteLength(text)", "text.length"]],
];
