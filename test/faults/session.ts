import type { Fault } from "./fault.ts";

const pool = "../postgres/pool.ts";
const send = "../postgres/send.ts";
const checked = "../postgres/checked.ts";
const read = "../postgres/read.ts";
const session = "../postgres/session.ts";
const written = "../postgres/written.ts";

/**
 * Mistakes of what keeps the defaults of a database, its answers, and a server that takes its place
 * from being believed.
 */
export const sessionFaults: readonly Fault[] = [
  [
    "path of a database or role searched",
    [session, '  ["search_path", "pg_catalog, pg_temp"],\n', ""],
  ],
  ["temporary names found first", [session, '"pg_catalog, pg_temp"', '"pg_catalog"']],
  ["NULL of a list taken for a text", [session, '  ["array_nulls", "on"],\n', ""]],
  ["names quoted as a database says", [session, '  ["quote_all_identifiers", "off"],\n', ""]],
  [
    "commit that does not wait for the disk",
    [session, 'durable.includes(commits) ? commits : "on"', "commits"],
  ],
  [
    "commit that waits for no standby though it is to",
    [session, 'durable.includes(commits) ? commits : "on"', '"on"'],
  ],
  [
    "statement that nobody waits for any longer left in the database",
    [session, '    ["statement_timeout", statementMs],\n', ""],
  ],
  [
    "node that has gone in the middle of a transaction waited for",
    [session, '    ["idle_in_transaction_session_timeout", transactionIdleMs],\n', ""],
  ],
  [
    "list through a pooler given the time of a statement",
    [pool, "`${begin}; ${local}; ${own}`", "`${begin}; ${own}; ${local}`"],
  ],
  ["session of a pooler taken for one's own", [session, "client.processID === pid", "true"]],
  [
    "statement by itself through a pooler without its settings",
    [pool, 'if (local === "") return', 'if (local !== "-") return'],
  ],
  [
    "transaction through a pooler without its settings",
    [
      pool,
      "client, { local }) => {\n        await",
      "client) => {\n        const local = '';\n        await",
    ],
  ],
  [
    "end that another server lacks taken for a forgery of what that has",
    [checked, 'if (!faults.includes("MAC")) unlinked.add(forged);', ""],
  ],
  [
    "end that was seen forgotten for that of another server",
    ["../postgres/seen.ts", "isKept && isBehind", "isBehind"],
  ],
  [
    "end of another server taken up with what it answers",
    ["../postgres/seen.ts", "if (row !== undefined) seen.compare(asked, row.kept);", ""],
  ],
  [
    "end taken up that an older look has compared",
    ["../postgres/seen.ts", " && asked === newest.position", ""],
  ],
  [
    "end of another server taken up with objects",
    [read, "back.query<MaybeRow", "pool.query<MaybeRow"],
  ],
  [
    "end of another server taken up with events",
    [read, "back.query<SealedColumns", "pool.query<SealedColumns"],
  ],
  [
    "end of another server taken up with what is found of its log",
    ["../postgres/postgres.ts", "search(parts.back,", "search(pool,"],
  ],
  [
    "end of another server taken up with messages",
    ["../postgres/message.ts", "lookingBack(pool, seen).query", "pool.query"],
  ],
  [
    "end of another server taken up by a check",
    [checked, "if (!seen.isKept()) throw refused(raised.history);", ""],
  ],
  [
    "end that was lost taken for there because of one before it",
    ["../postgres/seen.ts", "if (!isThere || position === newest.position) ", ""],
  ],
  [
    "end that was seen before a connection was waited for compared",
    ["../postgres/seen.ts", "        asked = seen.end();\n", ""],
  ],
  [
    "end that was written on forgotten once another server had taken over",
    ["../postgres/commit.ts", "    seen.compare(before, before.link);\n", ""],
  ],
  [
    "forged event that a look finds told to nobody",
    ["../postgres/looks.ts", ".catch(note)", ".catch(() => {})"],
  ],
  [
    "end lost in the middle of a check taken for a forgery",
    [checked, "if (isLost) throw refused(raised.history);", ""],
  ],
  [
    "gap in the middle of the log taken for a lost end",
    [checked, "(await readHead(pool)).position < through", "true"],
  ],
  [
    "end that was checked forgotten for that of another server",
    [checked, "look(event, seen.isKept())", "look(event)"],
  ],
  ["list of verdicts of any length believed", [written, "list?.length === count", "true"]],
  [
    "verdict of any kind believed",
    [written, "Number.isInteger(number) && number in verdicts", "true"],
  ],
  [
    "number of what is refused believed",
    [written, "!whiches.every(Number.isSafeInteger)", "false"],
  ],
  ["positions of a batch believed", [written, "firsts[i] === first", "true"]],
  ["positions before the end that was seen believed", [written, "position < seen", "false"]],
  ["link of a batch believed", [send, "link === undefined || isLinked(batch, done, link)", "true"]],
];
