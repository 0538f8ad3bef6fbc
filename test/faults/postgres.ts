import type { Fault } from "./fault.ts";

const appends = "../postgres/append-function.ts";
const turns = "../postgres/turns.ts";

/** Mistakes of the functions that run inside PostgreSQL. */
export const postgresFaults: readonly Fault[] = [
  [
    "versions not compared in the database",
    [appends, "WHERE coalesce(o.version, 0) <> c.expected", "WHERE c.expected < 0"],
  ],
  [
    "batch written twice after a lost answer",
    [appends, "    IF FOUND THEN\n      replayed", "    IF false THEN\n      replayed"],
  ],
  ["claim of another taken", [appends, "AND h.stream <> l.stream)", "AND false)"]],
  [
    "quota planned on what another process has used",
    [appends, "IF one.digests && broken THEN", "IF false THEN"],
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
    "turn of a line not put off with its message",
    [turns, "    PERFORM iam.review(ARRAY[line.type], ARRAY[line.owner]);\n", ""],
  ],
  [
    "log written on behind objects that it lacks",
    ["../postgres/read.ts", "if (row?.link) seen.note(", "if (row === undefined) seen.note("],
  ],
];
