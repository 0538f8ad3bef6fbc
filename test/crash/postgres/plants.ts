import type { Plant } from "../plants.ts";

/** What nodes are made of besides the service. */
export const onPostgres = ["bench/child.ts", "test/crash", "test/store/keys.ts"];

const appendFunction = "src/store/postgres/append-function.ts";
const send = "src/store/postgres/send.ts";
const newLog = "PERFORM set_config('lock_timeout', p_lock_ms::text, true);\n";

/** Each of them loses something, does it twice or skips it, where several nodes share a server. */
export const postgresPlants: readonly Plant[] = [
  {
    name: "an append is answered before its commit",
    foundBy: "server",
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
    foundBy: "server",
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
    foundBy: "server",
    edits: [
      [
        appendFunction,
        "  CREATE FUNCTION iam.append(",
        "  CREATE SEQUENCE iam.positions;\n  CREATE FUNCTION iam.append(",
      ],
      [appendFunction, "head := head + 1;", "head := nextval('iam.positions');"],
    ],
  },
  {
    name: "nobody waits for others who append",
    foundBy: "nodes",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in the file.
    edits: [[appendFunction, "PERFORM pg_advisory_xact_lock(${logLock});", ""]],
  },
  {
    name: "a batch that is sent again is taken for another",
    foundBy: "connections",
    edits: [[send, "(appendCall, values)", "(appendCall, [randomUUID(), ...values.slice(1)])"]],
  },
  {
    name: "what was lost on its way is taken for not done",
    foundBy: "connections",
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
    foundBy: "synchronous",
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
    foundBy: "asynchronous",
    edits: [[appendFunction, "IF seen IS DISTINCT FROM p_seen_link THEN", "IF false THEN"]],
  },
  {
    name: "every resume token is taken",
    foundBy: "asynchronous",
    edits: [
      [
        "src/api/resume-token.ts",
        "return link !== undefined && markOf(link) === mark;",
        "return true;",
      ],
    ],
  },
];
