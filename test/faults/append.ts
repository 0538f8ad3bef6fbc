import type { Fault } from "./fault.ts";

const fold = `const fold = (value: string) => value.normalize("NFKC").toLowerCase();`;

/** What an append releases is gone, though it may be refused still. */
const removedEarly = `    for (const [i, change] of append.changes.entries()) {
      const { removed } = movesOf(change, found[i], planClaims(append.changes, texts).takes);
      texts.remove(found[i]?.first ?? 0n, removed);
    }
`;

/** Mistakes in checking and writing one append. */
export const appendFaults: readonly Fault[] = [
  ["no version check", ["append.ts", "versions[i] !== expected", "(versions[i] ?? 0) < -expected"]],
  [
    "append that is far behind the time of the log written",
    ["append.ts", "isBehind(append, end.timeMs())", "false"],
  ],
  [
    "time of what others appended not followed",
    [
      "end.ts",
      "seen = { ...seen, position, link, timeMs };",
      "seen = { ...seen, position, link };",
    ],
  ],
  [
    "time of what was appended in the same commit not followed",
    ["end.ts", "link: seals.link, timeMs };", "link: seals.link, timeMs: current.timeMs };"],
  ],
  [
    "append refused that is behind by as much as it bears",
    ["../check-append.ts", "timeMs + behindMs < lastMs", "timeMs + behindMs <= lastMs"],
  ],
  ["key of an answer not taken", ["append.ts", "if (answers.isTaken(append))", "if (false)"]],
  [
    "answer not in the commit of its events",
    ["append.ts", "answers.keep(append);", "queueMicrotask(() => answers.keep(append));"],
  ],
  [
    "answer that is over not removed",
    ["answers.ts", "remove.run(overMs, forgottenAtOnce)", "remove.run(0, 0)"],
  ],
  [
    "all answers removed at once",
    ["answers.ts", "WHERE time <= ? LIMIT ?", "WHERE time <= ? LIMIT ? * 100"],
  ],
  [
    "lock taken to remove no answer",
    ["answers.ts", "if (isOver.get(overMs, secretOverMs) !== 1) return false;", ""],
  ],
  [
    "answers of all callers crowded out",
    ["answers.ts", "WHERE caller = ? AND number <= ?", "WHERE ? <> '' AND number <= ?"],
  ],
  ["answer not remembered", ["append.ts", "answers.keep(append);", ""]],
  [
    "answer over too late",
    [
      "answers.ts",
      "answer, secret, time FROM answers WHERE key = ? AND time > ?",
      "answer, secret, time FROM answers WHERE key = ? AND time >= ?",
    ],
  ],
  ["secret over too late", ["answers.ts", "Number(row.time) > nowMs", "Number(row.time) >= nowMs"]],
  ["secret never removed", ["answers.ts", "SET secret = NULL WHERE", "SET secret = secret WHERE"]],
  [
    "answers of one caller without a limit",
    ["answers.ts", "crowdOut.run(actor, number - ofCaller);", ""],
  ],
  ["a last part counts as nothing", ["../answer.ts", "Math.ceil(", "Math.floor("]],
  ["limit of answers off by one", ["answers.ts", "number - ofCaller", "number - ofCaller - 1"]],
  [
    "answers by the key of events",
    ["../chain/answer-name.ts", `subkeyOf(key, "iam answer")`, "key"],
  ],
  [
    "answers by their keys",
    ["../chain/answer-name.ts", `seal(text).toString("base64url")`, "text"],
  ],
  ["answers kept by a rebuild", ["rebuild.ts", `  "answers",\n`, ""]],
  [
    "expected 0 unchecked",
    [
      "append.ts",
      "return (append) => {",
      `return (asked) => {
        const changes = asked.changes.map((change) => ({
          ...change,
          expected: change.expected || versionOf(change.stream),
        }));
        const append = { ...asked, changes };`,
    ],
  ],
  ["unchanged ignored", ["append.ts", "now[i] !== version", "version < 0"]],
  [
    "versions remembered in memory",
    [
      "append.ts",
      "rows.map(versionIn), end.versionsOf)",
      `rows.map((one) => known.get(one.stream) ?? versionIn(one)), (streams) =>
        end.versionsOf(streams).map((now, i) => known.get(streams[i]!) ?? now))`,
    ],
    [
      "append.ts",
      "  return (append) => {",
      "  const known = new Map<string, number>();\n  return (append) => {",
    ],
    [
      "append.ts",
      "writeMessages(change, written, due, writes);",
      `known.set(change.stream, end.versionsOf([change.stream])[0]!);
      writeMessages(change, written, due, writes);`,
    ],
  ],
  ["another owner accepted", ["append.ts", "if (known !== owner)", "if (known === undefined)"]],
  ["streams folded", ["schema.ts", "TEXT NOT NULL UNIQUE", "TEXT NOT NULL UNIQUE COLLATE NOCASE"]],

  [
    "claims folded",
    [
      "schema.ts",
      "text TEXT NOT NULL, -- of a field",
      "text TEXT NOT NULL COLLATE NOCASE, -- of a field",
    ],
  ],
  [
    "claims folded within an append",
    [
      "../claim-key.ts",
      "JSON.stringify([kind, scope, value]);",
      "[kind, scope, value].join().toLowerCase();",
    ],
  ],
  [
    "claims folded beyond ASCII",
    ["../texts.ts", "text: claim.value,", "text: fold(claim.value),"],
    ["../texts.ts", "/** An object has few rows", `${fold}\n/** An object has few rows`],
  ],
  ...[":", "#"].map(
    (glue): Fault => [
      `claims glued with ${glue}`,
      [
        "texts.ts",
        "l.parent = ${bound}\n          AND t.text = ${bound} AND",
        `concat_ws('${glue}', l.parent, t.text) = concat_ws('${glue}', ?, ?) AND`,
      ],
    ],
  ),
  [
    "claims glued within an append",
    ["../claim-key.ts", "JSON.stringify([kind, scope, value]);", "[kind, scope, value].join('/');"],
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
    [
      "append.ts",
      "textRows(found && rowOf(found), release)",
      "textRows(found && rowOf(found), [])",
    ],
  ],
  [
    "release forgotten at removal",
    [
      "append.ts",
      "textRows(found && rowOf(found), release)",
      "textRows(found && rowOf(found), row === undefined ? [] : release)",
    ],
  ],
  [
    "release of what is not held accepted",
    ["append.ts", "if (holders.get(key) !== stream)", "if (!stream)"],
  ],
  [
    "claims moved before the refusal",
    [
      "append.ts",
      "    if (taken !== undefined) return",
      `${removedEarly}    if (taken !== undefined) return`,
    ],
  ],

  ["positions from a counter in memory", ["end.ts", "      current = seen;\n", ""]],
  [
    "positions rounded to doubles",
    ["end.ts", "current.position + 1n", "BigInt(Number(current.position) + 1)"],
  ],
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
    ["row.ts", "timeMs = Number(time)", "timeMs = Number(time / 1000n) * 1_000"],
  ],
  [
    "whole-second times of objects",
    [
      "../verify/rows.ts",
      "createdMs: Number(created)",
      "createdMs: Number(created / 1000n) * 1_000",
    ],
  ],
  [
    "payload written anew",
    [
      "append.ts",
      "actor, timeMs, payload };",
      "actor, timeMs, payload: JSON.stringify(JSON.parse(payload)) };",
    ],
  ],
  [
    "event limit off by one",
    ["../check-append.ts", "events > appendLimits", "events >= appendLimits"],
  ],
  ["tallies ignored", ["append.ts", "tallyOf(group) !== group.total", "group.total < 0"]],
  [
    "tallies at least",
    ["append.ts", "tallyOf(group) !== group.total", "tallyOf(group) < group.total"],
  ],
  [
    "tallies at most",
    ["append.ts", "tallyOf(group) !== group.total", "tallyOf(group) > group.total"],
  ],
  ["claims tallied, not streams", ["texts.ts", "count(DISTINCT first)", "count(*)"]],
  [
    "only the first tally checked",
    ["append.ts", "append.tallies.find(", "append.tallies.slice(0, 1).find("],
  ],
  [
    "claims moved before the tally",
    ["append.ts", "    const miscounted", `${removedEarly}    const miscounted`],
  ],
  [
    "tally before the version",
    [
      "append.ts",
      `    if (stale !== undefined) return { kind: "version-conflict", stream: stale };\n`,
      "",
    ],
    [
      "append.ts",
      "    const { taken, takes } = planClaims",
      `    if (stale !== undefined) return { kind: "version-conflict", stream: stale };
    const { taken, takes } = planClaims`,
    ],
  ],
  [
    "tallies remembered in memory",
    [
      "append.ts",
      "texts = prepareTexts(db);",
      `asked = prepareTexts(db);
  const known = new Map();
  const tallyOf = (group) => {
    const key = JSON.stringify([group.kind, group.scope]);
    known.set(key, known.get(key) ?? asked.tallyOf(group));
    return known.get(key);
  };
  const texts = { ...asked, tallyOf };`,
    ],
  ],
  ["holder named twice", ["texts.ts", "SELECT DISTINCT first", "SELECT first"]],
  ["holders in the order of values", ["texts.ts", "ORDER BY first LIMIT", "ORDER BY text LIMIT"]],
  [
    "holders of any scope",
    [
      "texts.ts",
      `const within = \`list = \${numberOfList}`,
      `const within = \`list IN
        (SELECT number FROM lists WHERE kind = ? AND name = ? AND ? <> '')`,
    ],
  ],
  [
    "holders whatever their values begin with",
    ["texts.ts", "AND text >= ? AND text < ?", "AND coalesce(?, ?) <> 1"],
  ],
  ["holders behind a beginning", ["texts.ts", "afterPrefix(prefix) ?? Buffer", "Buffer"]],
  [
    "characters counted for bytes",
    ["../check-append.ts", "Buffer.byteLength(text)", "text.length"],
  ],
];
