import type { Fault } from "./fault.ts";
import { sessionFaults } from "./session.ts";

const appends = "../postgres/append-function.ts";
const beside = "../postgres/append-beside.ts";
const statement = "../postgres/artifact-statement.ts";
const turns = "../postgres/turns.ts";

const pool = "../postgres/pool.ts";
const send = "../postgres/send.ts";

/** Mistakes of the functions that run inside PostgreSQL, and of the connections to it. */
export const postgresFaults: readonly Fault[] = [
  ...sessionFaults,
  [
    "lists of one organization in the places of others",
    ["../postgres/list.ts", "ofOneMax: limits.listsOfAsker", "ofOneMax: limits.lists"],
  ],
  [
    "lists without a place for the service itself",
    ["../../slots.ts", "Math.max(1, concurrentMax - 1)", "concurrentMax"],
  ],
  [
    "lists of one organization driving out others",
    ["../../slots.ts", "b.length - a.length", "a.length - b.length"],
  ],
  [
    "connection without a listener where it is greeted",
    [pool, '  pool.on("connect", (client) =>', '  pool.on("none", (client: pg.Client) =>'],
  ],
  [
    "connection taken that was cut as it was greeted",
    [pool, "failure = ends.get(client);", "failure = undefined;"],
  ],
  [
    "who waits told of a connection that could not be made",
    [pool, "isTimeout(error) || pool.totalCount === 0", "error"],
  ],
  [
    "ready on the full disk of a database",
    ["../postgres/postgres.ts", "if (isForRoom(error)) looks.wrote(false);", ""],
  ],
  [
    "never ready after a database had no room",
    ["../postgres/looks.ts", "      wrote(true);\n", "      throw refused('53100');\n"],
  ],
  [
    "room of a database tried without a rest",
    ["../postgres/looks.ts", "nowMs() - failed.sinceMs < limits.roomMs", "false"],
  ],
  [
    "append that is far behind the time of a database written",
    [appends, "WHERE w.until < ended", "WHERE false"],
  ],
  [
    "append to a database refused that is behind by as much as it bears",
    [appends, "WHERE w.until < ended", "WHERE w.until <= ended"],
  ],
  [
    "append batched with one that is far later",
    ["../postgres/gather.ts", "!isBehind(append, latestMs) &&", ""],
  ],
  ["end that nobody checked written on", [appends, "IF p_checked < head THEN", "IF false THEN"]],
  ["what others write at the same time not checked", [send, "await checked.follow(before);", ""]],
  [
    "what others write checked by a node that appends",
    ["../postgres/looks.ts", "const isIdle = position === idleAt;", "const isIdle = true;"],
  ],
  [
    "link of an event at the end not checked",
    ["../postgres/checked.ts", "isNext ? end.link : undefined", "undefined"],
  ],
  [
    "gap before the end not noticed",
    [
      "../postgres/checked.ts",
      "if (end.position >= last) return;",
      "end = { ...end, position: last };\n    return;",
    ],
  ],
  [
    "lock held while an answer travels",
    [send, "return () => pool.using(call);", 'return () => pool.transaction("BEGIN", call);'],
  ],
  [
    "answer of a refused append kept in the database",
    [beside, "WHERE verdicts[k.command] = 0", "WHERE verdicts[k.command] >= 0"],
  ],
  [
    "answers of a caller not crowded out in the database",
    [beside, "a.number <= c.last - p_k_kept", "a.number < 0"],
  ],
  [
    "login not ended with what was written",
    [beside, "WHERE verdicts[g.command] = 0", "WHERE verdicts[g.command] < 0"],
  ],
  [
    "functions of before left beside those of today",
    [
      "../postgres/migrations.ts",
      "LOOP EXECUTE 'DROP FUNCTION ' || each; END LOOP;",
      "LOOP END LOOP;",
    ],
  ],
  [
    "versions not compared in the database",
    [appends, "WHERE coalesce(o.version, 0) <> c.expected", "WHERE c.expected < 0"],
  ],
  [
    "artifact replaced that another node has changed",
    [statement, "AND a.mac = g.before RETURNING 1", "AND g.before IS NOT NULL RETURNING 1"],
  ],
  [
    "artifacts of one request written in part",
    [statement, "WHEN kept + gone = 0 THEN false", "WHEN kept + gone >= 0 THEN false"],
  ],
  [
    "change of artifacts refused that the database gave up for others",
    ["../postgres/artifacts.ts", " || isForOthers(error)", ""],
  ],
  ["artifacts of a family kept that goes", [statement, "OR family = ANY", "OR alias = ANY"]],
  [
    "batch written twice after a lost answer",
    [appends, "    IF FOUND THEN\n      verdicts", "    IF false THEN\n      verdicts"],
  ],
  [
    "claim of another taken in the database",
    [appends, "AND holder <> p_c_stream[l.change])", "AND false)"],
  ],
  [
    "what a database lists an object by not found again in its row",
    ["../postgres/list.ts", "      assertAskedFor(query, row);\n", ""],
  ],
  [
    "texts of a table that the planner takes for empty read once for each object",
    ["../postgres/list.ts", "if (query.where && readsAllTexts(query.where)) await ask(", "void ("],
  ],
  [
    "text of another kept in the database",
    [
      appends,
      "NOT IN (\n            SELECT c_first[x.change]",
      "IN (\n            SELECT c_first[x.change]",
    ],
  ],
  ["holders of all in the database", ["../postgres/read.ts", "prefix === undefined ?", "true ?"]],
  [
    "claim that is a field as well given two rows",
    [appends, "AND t.tie IN (0, c_first[x.change])", "AND t.tie = c_first[x.change]"],
  ],
  [
    "field that says what the claim does not listed",
    [appends, "AND t.listed <> ((", "AND false AND t.listed <> (("],
  ],
  [
    "text told from others by its first characters alone",
    ["../postgres/revision.ts", "substr(text, 201)", "substr(text, 9999)"],
  ],
  [
    "quota planned on what another process has used",
    [beside, "IF one.digests && broken THEN", "IF false THEN"],
  ],
  [
    "seal of a row without its place",
    [appends, "int8send(c_last[c.which])", "int8send(c_first[c.which])"],
  ],
  [
    "messages of a removed thing kept in the database",
    [appends, "AND c.state IS NULL)", "AND false)"],
  ],
  [
    "turn of an owner who was served not put behind",
    [turns, "SET number = DEFAULT, turn = greatest(p_now, next_due)", "SET turn = next_due"],
  ],
  [
    "lease that waits for who writes the turn",
    [turns, "LIMIT 1 FOR UPDATE SKIP LOCKED) AS first", "LIMIT 1 FOR UPDATE) AS first"],
  ],
  [
    "message leased that was written meanwhile, and given to nobody",
    [
      "../postgres/message.ts",
      "derived.lease($1, $2, $3, $4, $5) ORDER BY",
      "derived.lease($1, $2, $3, $4, $5) l JOIN iam.events e USING (position) ORDER BY",
    ],
  ],
  [
    "turn of a line not put off with its message",
    [turns, "    PERFORM derived.review(ARRAY[line.type], ARRAY[line.owner]);\n", ""],
  ],
  [
    "log written on behind objects that it lacks",
    ["../postgres/read.ts", "if (row?.link) seen.note(", "if (row === undefined) seen.note("],
  ],
];

const moment = "../postgres/moment.ts";
const streams = "../verify/streams.ts";
const rebuilds = "../postgres/rebuild.ts";
const tables = "../postgres/verify/tables.ts";
const there = "../postgres/verify/things.ts";

/** Mistakes of what verifies a log in PostgreSQL, and makes anew what follows from it. */
export const verifyFaults: readonly Fault[] = [
  [
    "rest of a page of events left out",
    [
      moment,
      "AS e WHERE before < $${values.length + 2}",
      "AS e WHERE before <= $${values.length + 2}",
    ],
    ["../verify/reader.ts", "if (rows.length === 0) return;", "if (rows.length < 2) return;"],
  ],
  ["rest of a long stream left out", [streams, "await eventsOf(moment, stream, events)", "events"]],
  [
    "rows that are missing not looked for",
    [streams, "    await compareUneven(reader, { sums, folding }, report);\n", ""],
  ],
  [
    "rows that nothing explains not looked for",
    [streams, "    await reportOrphans(reader, { sums, folding }, report);\n", ""],
  ],
  ["empty groups taken for damage", [moment, 'isCounted: "c.objects <> 0"', 'isCounted: "TRUE"']],
  [
    "events of others seen in the middle of a look",
    ["../postgres/verify/verify.ts", "ISOLATION LEVEL REPEATABLE READ READ ONLY", "READ ONLY"],
  ],
  [
    "rebuild of a forged log in a database",
    ["../postgres/rebuild-database.ts", "        await assertChain(connection, rebuilding);\n", ""],
  ],
  [
    "lines of messages not mended",
    [rebuilds, "WHERE (m.type, m.owner) <> (excluded.type, excluded.owner)", "WHERE false"],
  ],
  [
    "counts not made anew in a database",
    [rebuilds, '"objects", "counts", "pending"', '"objects", "pending"'],
  ],
  [
    "definitions of tables and functions not compared",
    [tables, "made.get(nameOf(thing)) === thing.definition", "made.has(nameOf(thing))"],
  ],
  [
    "database of others served",
    ["../postgres/postgres.ts", "    await assertOwn(pool, projector);\n", ""],
  ],
  [
    "database of others rebuilt",
    ["../postgres/rebuild-database.ts", "      await assertOwn(pool, projector);\n", ""],
  ],
  [
    "database with an index less not served",
    [tables, '({ kind }) => kind !== "slower"', "() => true"],
  ],
  [
    "key that is missing taken for an index",
    [tables, 'definition.startsWith("CREATE INDEX")', 'kind !== "table"'],
  ],
  [
    "indexes of others not seen",
    [tables, "wrong.filter((thing) =>", 'wrong.filter((thing) => thing.kind !== "index" &&'],
  ],
  ["constraints of others known by name alone", [tables, " || whole.has(nameOf(thing))", ""]],
  ["triggers of others not seen", [there, "WHERE NOT t.tgisinternal", "WHERE false"]],
  ["row security not seen", [there, "WHEN relrowsecurity OR relforcerowsecurity", "WHEN false"]],
  [
    "operators of others not seen",
    [there, "o.oprnamespace WHERE n", "o.oprnamespace WHERE false AND n"],
  ],
  [
    "types of others not seen",
    [there, "WHERE n.nspname = ANY($1) AND t.typelem", "WHERE false AND t.typelem"],
  ],
  ["numbers of turns that are used up not seen", [there, "> s.seqmax / 2", "> s.seqmax"]],
  ["policies not seen", [there, "own.oid = p.polrelid", "false"]],
  ["tables that inherit not seen", [there, "own.oid = i.inhparent", "false"]],
  [
    "publications that refuse rows not seen",
    [there, "r.prqual IS NOT NULL OR r.prattrs IS NOT NULL", "false"],
  ],
  [
    "tables that keep rows not seen",
    [there, "own.oid IN (c.conrelid, c.confrelid)", "own.oid = c.conrelid"],
  ],
  [
    "names of others taken for those of PostgreSQL",
    ["../postgres/session.ts", '"pg_catalog, pg_temp"', '"kept, pg_catalog"'],
  ],
  [
    "tables of a running service not compared",
    ["../postgres/check.ts", "    await checkServed(pool, projector, report);\n", ""],
    ["../postgres/check.ts", `import { checkServed } from "./verify/tables.ts";\n`, ""],
  ],
];
