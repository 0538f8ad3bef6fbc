import type { Fault } from "./fault.ts";

/** Mistakes in keeping, listing and rebuilding objects, and in reading the log. */
export const objectFaults: readonly Fault[] = [
  [
    "objects not updated",
    ["write.ts", "DO UPDATE SET version = excluded.version, kind", "DO UPDATE SET kind"],
  ],
  [
    "created time overwritten",
    [
      "write.ts",
      "changed = excluded.changed,",
      "changed = excluded.changed, created = excluded.created,",
    ],
    ["append.ts", "found?.createdMs ?? timeMs", "timeMs"],
  ],
  ["changed time not updated", ["write.ts", "changed = excluded.changed,", ""]],
  ["position not updated", ["write.ts", "position = excluded.position,", ""]],
  ["parent not updated", ["write.ts", "parent = excluded.parent,", ""]],
  ["fields not updated", ["write.ts", "fields = excluded.fields,", ""]],
  [
    "position of the first of several events",
    ["append.ts", "events.at(-1)?.position ?? 0n", "events[0]?.position ?? 0n"],
  ],
  [
    "state of a removed object kept",
    ["write.ts", "state = excluded.state,", "state = coalesce(excluded.state, state),"],
  ],
  [
    "removed object listed",
    ["write.ts", " kind = excluded.kind,", " kind = coalesce(excluded.kind, kind),"],
  ],
  [
    "version of a removed object forgotten",
    [
      "write.ts",
      "counts(before, listed);",
      `counts(before, listed);
      const forget = db.prepare("DELETE FROM objects WHERE stream = ?");
      if (written.state === undefined) forget.run(written.stream);`,
    ],
  ],
  [
    "object moved to the end by a change",
    ["write.ts", "DO UPDATE SET version", "DO UPDATE SET first = excluded.first, version"],
    ["append.ts", "found?.first ?? events[0]?.position", "events[0]?.position"],
  ],

  [
    "load in the order of the file",
    ["read.ts", "streams.map((stream) =>", "streams.toSorted().map((stream) =>"],
  ],

  ["readAll including after", ["read.ts", "position > ?", "position >= ?"]],
  ["readStream including after", ["read.ts", "AND version > ", "AND version >= "]],
  ["readAll backwards", ["read.ts", "ORDER BY position", "ORDER BY position DESC"]],
  [
    "readAll without its limit",
    ["read.ts", "ORDER BY position LIMIT ", "ORDER BY position LIMIT 100 * "],
  ],

  [
    "rebuild skips claims",
    ["rebuild.ts", "textRows(object.row, claims)", "textRows(object.row, [])"],
  ],
  ["rebuild skips the last rows", ["rebuild.ts", "  rows.flush(true);\n", ""]],
  ["rebuild skips most rows", ["bulk.ts", "insert(many, rows.slice(0, rowsAtOnce));", ""]],
  [
    "rebuild takes no notice of rows that are ignored",
    ["bulk.ts", "changes === some.length", "changes >= 0"],
  ],
  ["rebuild keeps old objects", ["rebuild.ts", `  "objects",\n`, ""]],
  [
    "rebuild makes changed created",
    ["rebuild.ts", "changedMs: last.timeMs", "changedMs: first.timeMs"],
  ],
  [
    "rebuild makes created changed",
    ["rebuild.ts", "createdMs: first.timeMs", "createdMs: last.timeMs"],
  ],
  ["rebuild orders by last event", ["rebuild.ts", "first: first.position", "first: last.position"]],
  [
    "rebuild at every opening",
    ["rebuild.ts", `db.exec("DELETE FROM projection");`, ""],
    ["rebuild.ts", `db.prepare("INSERT INTO projection VALUES (?)").run(projector.revision);`, ""],
  ],
  [
    "no rebuild",
    ["rebuild.ts", "prepareRevision(db)() === projector.revision", "prepareRevision(db)() >= 0"],
  ],
  [
    "rebuild without a transaction",
    [
      "sqlite.ts",
      "db.transaction(() => bringUpToDate(db, projector, { ...identity, steps }));",
      "{ immediate: () => bringUpToDate(db, projector, { ...identity, steps }) };",
    ],
  ],
  [
    "lower revision accepted",
    ["rebuild.ts", "if (stored <= revision) return;", "if (stored) return;"],
  ],
  ["newer schema accepted", ["schema.ts", "if (found <= schema) return", "return"]],
  ["too old schema accepted", ["schema.ts", "found !== 0 && found < floor", "false"]],
  [
    "versions of before another process wrote",
    ["known.ts", "      if (now !== knownAt) forgetRemembered();\n", ""],
  ],
  [
    "versions of an earlier turn",
    ["known.ts", "    if (told === undefined) nextTick(endTurn);\n", ""],
  ],
  [
    "versions of before a transaction",
    ["known.ts", "    if (db.inTransaction) return read.get();\n", ""],
  ],
  [
    "versions of before an append",
    ["end.ts", "        versions.wrote(one.stream, one.version);\n", ""],
  ],
  ["versions of an append that was undone", ["known.ts", "    if (isCommitted) for", "    for"]],
  [
    "what was undone remembered with the next commit",
    ["commit.ts", "    transactions.end(false);\n", ""],
  ],
];
