import type { Plant } from "../plants.ts";

/** What nodes are made of besides the service. */
export const onPostgres = ["bench/child.ts", "test/crash"];

const appendFunction = "src/store/postgres/append-function.ts";
const send = "src/store/postgres/send.ts";
const newLog = "PERFORM set_config('lock_timeout', p_lock_ms::text, true);\n";

/** Each of them loses something, does it twice or skips it, where several nodes share a server. */
export const postgresPlants: readonly Plant[] = [
  {
    name: "a connection that is greeted has no listener",
    ...{ foundBy: "greetings", shows: "ended" },
    edits: [
      [
        "src/store/postgres/pool.ts",
        '  pool.on("connect", (client) =>',
        '  pool.on("none" as "connect", (client) =>',
      ],
    ],
  },
  {
    name: "the lock is held while an answer travels",
    ...{ foundBy: "keyed", shows: "stalled" },
    edits: [
      [send, "return () => pool.using(call);", 'return () => pool.transaction("BEGIN", call);'],
    ],
  },
  {
    name: "an append is answered before its commit",
    ...{ foundBy: "server", shows: "lost" },
    edits: [
      [
        send,
        "return () => pool.using(call);",
        `return () =>
      pool.using(async (connection) => {
        await connection.query("BEGIN");
        const done = await call(connection);
        setTimeout(() => connection.query("COMMIT").catch(() => {}), 20);
        return done;
      });`,
      ],
    ],
  },
  {
    name: "commits are not forced to the disk",
    ...{ foundBy: "server", shows: "lost" },
    edits: [
      [
        appendFunction,
        newLog,
        `${newLog}    PERFORM set_config('synchronous_commit', 'off', true);\n`,
      ],
    ],
  },
  {
    name: "positions come from a sequence",
    ...{ foundBy: "server", shows: "torn" },
    edits: [
      [
        appendFunction,
        "  CREATE FUNCTION derived.append(",
        "  CREATE SEQUENCE derived.positions;\n  CREATE FUNCTION derived.append(",
      ],
      [appendFunction, "head := head + 1;", "head := nextval('derived.positions');"],
    ],
  },
  {
    name: "nobody waits for others who append",
    ...{ foundBy: "nodes", shows: "refused" },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in the file.
    edits: [[appendFunction, "PERFORM pg_advisory_xact_lock(${logLock});", ""]],
  },
  {
    name: "one who follows goes on one event too far",
    ...{ foundBy: "nodes", shows: "skipped" },
    edits: [["src/api/follow.ts", "    after = through;", "    after = through + 1n;"]],
  },
  {
    name: "one who resumes is told of the last event again",
    ...{ foundBy: "nodes", shows: "repeated" },
    edits: [
      [
        "src/api/follow.ts",
        "  assertThere(await store.linkAt(after));\n  return",
        `  assertThere(await store.linkAt(after));
  if (place !== undefined && after > 0n) {
    after -= 1n;
    mark = undefined;
  }
  return`,
      ],
    ],
  },
  {
    name: "a batch that is sent again is taken for another",
    ...{ foundBy: "connections", shows: "twice" },
    edits: [[send, "(appendCall, values)", "(appendCall, [randomUUID(), ...values.slice(1)])"]],
  },
  {
    name: "no answer is kept with what it answers",
    ...{ foundBy: "service", shows: "twice" },
    edits: [["src/store/postgres/append-beside.ts", "IF cardinality(p_k_command)", "IF -1"]],
  },
  {
    name: "what was lost on its way is taken for not done",
    ...{ foundBy: "connections", shows: "phantom" },
    edits: [
      [
        "src/store/postgres/errors.ts",
        'if (code === undefined) return "lost";',
        'if (code === undefined) return "unavailable";',
      ],
    ],
  },
  {
    name: "a standby has not heard of a commit when it is answered",
    ...{ foundBy: "synchronous", shows: "lost" },
    edits: [
      [
        appendFunction,
        newLog,
        `${newLog}    PERFORM set_config('synchronous_commit', 'local', true);\n`,
      ],
    ],
  },
  {
    name: "nobody looks whether the log has what was seen of it",
    ...{ foundBy: "asynchronous", shows: "damaged" },
    edits: [[appendFunction, "IF seen IS DISTINCT FROM p_seen_link THEN", "IF false THEN"]],
  },
  {
    name: "every resume token is taken",
    ...{ foundBy: "asynchronous", shows: "skipped" },
    edits: [
      [
        "src/api/resume-token.ts",
        "return link !== undefined && markOf(link) === mark;",
        "return true;",
      ],
    ],
  },
];
