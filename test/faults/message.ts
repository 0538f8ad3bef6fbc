import type { Fault } from "./fault.ts";

/** Mistakes in keeping messages and in handing them out. */
export const messageFaults: readonly Fault[] = [
  [
    "messages not written",
    ["append.ts", "writes.message(asking, field, due.get(message) ?? asking.timeMs);", "void due;"],
  ],
  [
    "message of the first event",
    ["append.ts", "const asking = events[event];", "const asking = events[0];"],
  ],
  [
    "message of an event that is not there ignored",
    [
      "append.ts",
      `if (asking === undefined) throw new Error(\`\${stream} has no event \${event} to send.\`);`,
      "if (asking === undefined) continue;",
    ],
    ["../check-append.ts", "if (events[event] === undefined) throw", "if (false) throw"],
  ],
  [
    "messages not settled",
    ["append.ts", "for (const key of settles) writes.settle(key, timeMs);", ""],
  ],
  [
    "every message of the event settled",
    [
      "write.ts",
      "DELETE FROM messages WHERE position = ? AND field = ?",
      "DELETE FROM messages WHERE position = ? OR field = ?",
    ],
  ],
  [
    "messages of a removed object kept",
    ["append.ts", "if (state === undefined) writes.settleAll(stream, timeMs);", ""],
  ],
  [
    "messages of all streams settled by a removal",
    [
      "write.ts",
      "(SELECT position FROM events WHERE stream = ?)",
      "(SELECT position FROM events WHERE stream <> ? || 'x')",
    ],
  ],
  [
    "message due too early",
    ["append.ts", "field, due.get(message) ?? asking.timeMs)", "field, 0)"],
  ],
  ["leases not kept", ["message.ts", "SET due = @untilMs, attempts", "SET attempts"]],
  ["leases not counted", ["message.ts", ", attempts = @attempts + 1", ""]],
  [
    "leased without a count",
    ["message.ts", "attempts: Number(attempts) + 1", "attempts: Number(attempts)"],
  ],
  [
    "leased one millisecond late",
    ["message.ts", "AND messages.due <= @nowMs", "AND messages.due < @nowMs"],
    // A turn that nothing follows from would be given again and again.
    ["turns.ts", "AND turn <= @nowMs", "AND turn < @nowMs"],
  ],
  ["turn one millisecond late", ["turns.ts", "AND turn <= @nowMs", "AND turn < @nowMs"]],
  [
    "leased although not due",
    ["message.ts", "AND messages.due <= @nowMs", ""],
    ["turns.ts", "AND turn <= @nowMs", ""],
  ],
  [
    "turns by name alone",
    ["turns.ts", "ORDER BY turn, number LIMIT 1)", "ORDER BY owner LIMIT 1)"],
  ],
  ["turn kept by who had it", ["turns.ts", "max(due, @nowMs) FROM", "due FROM"]],
  ["turn lost by who had it", ["turns.ts", "queue.run({ type, owner, nowMs });", ""]],
  ["turn not given to a new owner", ["write.ts", "turns.expect({ type, owner }, dueMs);", ""]],
  ["turn lost with one of several", ["turns.ts", "AND NOT EXISTS", "AND EXISTS"]],
  ["turn kept for what was put off", ["message.ts", "turns.review(line);", ""]],
  ["turn kept for what was settled", ["turns.ts", "move.run({ type, owner, nowMs });", ""]],
  ["turn not moved forward", ["message.ts", "turns.expect(line, dueMs);", ""]],
  [
    "turn not moved when a clock was ahead",
    ["message.ts", "turns.expect(line, nowMs)", "void line"],
  ],
  ["line of all types", ["message.ts", "messages.type = @type AND", "@type IS NOT NULL AND"]],
  ["line of all owners", ["message.ts", "messages.owner = @owner AND", "@owner IS NOT NULL AND"]],
  [
    "postponed ones not counted",
    ["message.ts", "attempts = 0 AND due > @nowMs", "attempts < 0 AND due > @nowMs"],
  ],
  [
    "tried ones counted as postponed",
    ["message.ts", "attempts = 0 AND due > @nowMs", "due > @nowMs"],
  ],
  ["lease too long", ["message.ts", "nowMs + leaseMs }", "nowMs + leaseMs + 1 }"]],
  [
    "lease by position only",
    [
      "message.ts",
      "@nowMs\n  ORDER BY messages.due, messages.position",
      "@nowMs\n  ORDER BY messages.position",
    ],
  ],
  [
    "newest first",
    [
      "message.ts",
      "@nowMs\n  ORDER BY messages.due, messages.position",
      "@nowMs\n  ORDER BY messages.due DESC, messages.position",
    ],
  ],
  [
    "lease without its limit",
    ["message.ts", "leased.length < limit", "leased.length < limit * 100"],
  ],
  ["lease of any type", ["message.ts", "some === undefined ?", "some !== null ?"]],
  ["lease of no type like any type", ["message.ts", "some === undefined ?", "!some?.length ?"]],
  [
    "one field leased with the others",
    [
      "message.ts",
      "WHERE position = @position AND field = @field AND",
      "WHERE position = @position AND",
    ],
  ],
  [
    "outdated lease postpones",
    [
      "message.ts",
      "WHERE position = ? AND field = ? AND attempts = ?\n     RETURNING",
      "WHERE position = ? AND field = ? AND ? > 0 RETURNING",
    ],
  ],
  [
    "postponing forgotten",
    [
      "message.ts",
      "const moved = postpone.all(dueMs, event.position, field, attempts);",
      "const moved: Line[] = [];",
    ],
  ],
  [
    "message without an event handed out",
    ["message.ts", "columns.position === asked ?", "columns.position !== 0n ?"],
  ],
  [
    "older program leases",
    ["message.ts", "    assertNotTaken();\n", ""],
    ["sqlite.ts", "    parts.assertNotTaken();\n", ""],
  ],
  ["lock taken for nothing", ["message.ts", "isAny === undefined ? [] : ", ""]],
  ["rebuild keeps old messages", ["rebuild.ts", `  "messages",\n`, ""]],
  [
    "rebuild skips messages",
    ["rebuild.ts", "rows.message(asking, field, asking.timeMs);", "void field;"],
  ],
  [
    "rebuilt messages due at the last event",
    [
      "rebuild.ts",
      "rows.message(asking, field, asking.timeMs)",
      "rows.message(asking, field, last.timeMs)",
    ],
  ],
];
