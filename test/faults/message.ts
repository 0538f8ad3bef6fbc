import type { Fault } from "./fault.ts";

/** Mistakes in keeping messages and in handing them out. */
export const messageFaults: readonly Fault[] = [
  [
    "messages not written",
    [
      "append.ts",
      "writes.message({ position: asking.position, field }, due.get(message) ?? asking.timeMs);",
      "void due;",
    ],
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
  ],
  ["messages not settled", ["append.ts", "for (const key of settles) writes.settle(key);", ""]],
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
    ["append.ts", "if (state === undefined) writes.settleAll(stream);", ""],
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
    ["append.ts", "field }, due.get(message) ?? asking.timeMs)", "field }, 0)"],
  ],
  ["leases not kept", ["message.ts", "SET due = @untilMs, attempts", "SET attempts"]],
  ["leases not counted", ["message.ts", ", attempts = @attempts + 1", ""]],
  [
    "leased without a count",
    ["message.ts", "attempts: Number(attempts) + 1", "attempts: Number(attempts)"],
  ],
  [
    "leased one millisecond late",
    ["message.ts", "WHERE messages.due <= @nowMs", "WHERE messages.due < @nowMs"],
  ],
  [
    "leased although not due",
    ["message.ts", "WHERE messages.due <= @nowMs", "WHERE (messages.due <= @nowMs OR true)"],
  ],
  ["lease too long", ["message.ts", "nowMs + leaseMs }", "nowMs + leaseMs + 1 }"]],
  [
    "lease by position only",
    ["message.ts", "ORDER BY messages.due, messages.position", "ORDER BY messages.position"],
  ],
  [
    "newest first",
    [
      "message.ts",
      "ORDER BY messages.due, messages.position",
      "ORDER BY messages.due DESC, messages.position",
    ],
  ],
  ["lease without its limit", ["message.ts", "LIMIT @limit`", "LIMIT @limit * 100`"]],
  ["lease of any type", ["message.ts", "(@types IS NULL OR", "(TRUE OR @types IS NULL OR"]],
  [
    "lease of no type like any type",
    ["message.ts", "types === undefined ? null", "!types?.length ? null"],
  ],
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
      'WHERE position = ? AND field = ? AND attempts = ?"',
      'WHERE position = ? AND field = ? AND ? > 0"',
    ],
  ],
  [
    "postponing forgotten",
    ["message.ts", "postpone.run(dueMs, event.position, field, attempts);", "void dueMs;"],
  ],
  [
    "older program leases",
    ["message.ts", "if (storedRevision() !== revision)", "if (revision < 0)"],
  ],
  ["lock taken for nothing", ["message.ts", "isAny === undefined ? [] : ", ""]],
  ["rebuild keeps old messages", ["rebuild.ts", `, "messages"`, ""]],
  [
    "rebuild skips messages",
    [
      "rebuild.ts",
      "for (const key of messages) writes.message(key, times.get(key.position) ?? last.timeMs);",
      "void [messages, times];",
    ],
  ],
  [
    "rebuilt messages due at the last event",
    ["rebuild.ts", "times.get(key.position) ?? last.timeMs", "last.timeMs"],
  ],
];
