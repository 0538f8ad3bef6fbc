import type { Fault } from "./fault.ts";

const upgrade = "../postgres/upgrade.ts";
const takeover = "../postgres/takeover.ts";
const rebuild = "../postgres/rebuild.ts";

/** Mistakes of a node that takes over a database from nodes of an older program, and of those. */
export const rollingFaults: readonly Fault[] = [
  [
    "rows of streams kept that were written while others were made",
    [upgrade, "  await removeDerived(connection, streams);\n", ""],
  ],
  [
    "rows of a stream removed when those of others are made already",
    [upgrade, "  await removeDerived(connection, streams);\n", ""],
    [
      upgrade,
      "    await makeStreams(connection, momentOf(connection, limits, some), rebuilding);\n",
      "    await removeDerived(connection, some);\n" +
        "    await makeStreams(connection, momentOf(connection, limits, some), rebuilding);\n",
    ],
  ],
  [
    "what was written last left out when a node takes over",
    [
      upgrade,
      "        await catchUp(connection, rebuilding);\n        await takeOver",
      "        await takeOver",
    ],
  ],
  [
    "no more time to make tables than for a call",
    [upgrade, "connections: 1, statementMs: longMs", "connections: 1"],
  ],
  [
    "tables of another log gone on with",
    [upgrade, "JOIN iam.events e USING (position, link)", "JOIN iam.events e USING (position)"],
  ],
  [
    "older nodes read on after a newer one took over",
    [takeover, "EXECUTE format('ALTER SCHEMA %I RENAME TO %I'", "PERFORM format('%s%s'"],
  ],
  [
    "what older nodes have left kept for ever",
    [takeover, "LOOP EXECUTE format('DROP SCHEMA %I CASCADE'", "LOOP PERFORM format('%s'"],
  ],
  [
    "messages that were pending due anew when a node takes over",
    [
      rebuild,
      "DELETE FROM iam.messages m WHERE NOT EXISTS (",
      "DELETE FROM iam.messages m WHERE m.position > 0 OR NOT EXISTS (",
    ],
  ],
  [
    "tables that somebody else has made filled",
    ["../postgres/schema.ts", "if (made?.isOwn !== false)", "if (made?.isOwn !== undefined)"],
    ["../postgres/schema.ts", "return made?.isOwn === true;", "return made?.isOwn !== null;"],
  ],
  [
    "schemas of somebody else renamed and dropped",
    [takeover, "WHERE ${isOwn} AND nspname ~", "WHERE nspname ~"],
    [takeover, "WHERE ${isOwn} AND CASE", "WHERE CASE"],
  ],
  [
    "a takeover that any reader may begin",
    [
      "../postgres/schema.ts",
      "  await connection.query(`REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${made} FROM PUBLIC`);\n",
      "",
    ],
  ],
  [
    "writes that wait for the locks of others",
    [upgrade, "lock_timeout = ${switchLockMs}", "lock_timeout = 0"],
  ],
  [
    "a node that stands still and keeps writes waiting",
    [upgrade, "session_timeout = ${switchIdleMs}", "session_timeout = ${0 * switchIdleMs}"],
  ],
  [
    "a schema of the log that somebody has numbered anew not told",
    [
      "../postgres/verify/tables.ts",
      "if (found !== schema) {\n    report(`database: ${otherSchema",
      "if (found === undefined) {\n    report(`database: ${otherSchema",
    ],
  ],
  [
    "a takeover told as damage",
    ["../postgres/verify/tables.ts", "?? 0) > revision) throw", "?? 0) > Infinity) throw"],
  ],
  [
    "the erased kept where nobody serves",
    ["../postgres/vacuum.ts", "      await emptyOthers(pool);\n", ""],
  ],
  [
    "logins read by older nodes",
    [
      "../postgres/artifacts.ts",
      "const findText = `WITH ${served}\n  SELECT",
      "const findText = `SELECT",
    ],
  ],
  [
    "events read by older nodes",
    ["../postgres/read.ts", "const text = `WITH ${served} SELECT", "const text = `SELECT"],
  ],
  [
    "older nodes ready",
    ["../postgres/looks.ts", "found.revisions.join() !== String(revision)", "false"],
  ],
  [
    "removed tables taken for empty ones",
    ["../postgres/schema.ts", "if (revision === projector.revision) {", "if (revision < 0) {"],
  ],
  [
    "log taken over that is not to be served",
    ["../postgres/postgres.ts", "      await admit(known, ends);\n", ""],
    ["../postgres/postgres.ts", "if (known === undefined) await admit", "await admit"],
  ],
  [
    "log taken over before its key is opened",
    [
      "../postgres/postgres.ts",
      "(await hasKnownTables(pool)) ? await knownIdentity(pool, keys) : undefined",
      "undefined",
    ],
  ],
];
