import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const inFile = "artifacts.ts";
const inDatabase = "../postgres/append-beside.ts";
const adapter = "provider/library/adapter.ts";

/** Mistakes of what goes beside the log with somebody who is erased. */
export const besideFaults: readonly Fault[] = [
  ["answers of an erased caller kept", ["append.ts", "      answers.removeUser(userId);\n", ""]],
  ["artifact as it was before this process wrote it", [inFile, "    keep(next);\n", ""]],
  [
    "removed artifact remembered",
    [inFile, "      known.forget(key);\n      note(remove", "      note(remove"],
  ],
  [
    "artifacts of a removed family remembered",
    [inFile, "    if (result.changes > 0) known.forgetAll();\n", ""],
  ],
  [
    "expired artifacts remembered",
    [
      inFile,
      "noteMany(forget.run(nowMs, artifactsForgottenAtOnce))",
      "forget.run(nowMs, 1_000).changes",
    ],
  ],
  [
    "artifact as it was before another process wrote it",
    [inFile, "(key: string) => {\n    known.look();\n", "(key: string) => {\n"],
  ],
  [
    "artifacts remembered without end",
    [inFile, "known.keep(key, kept, charactersOf(kept))", "known.keep(key, kept)"],
  ],
  [
    "artifacts counted as before another process wrote",
    [inFile, "number {\n      known.look();\n", "number {\n"],
  ],
  [
    "artifacts added to a count of before another process wrote",
    [inFile, "void {\n      known.look();\n", "void {\n"],
  ],
  ["artifacts that are put not counted", [inFile, "      counts.add(artifact);\n", ""]],
  ["sessions of an erased person kept", [inFile, "WHERE family = @of OR ", "WHERE "]],
  [
    "grants of an erased person kept",
    [inFile, " OR family IN (SELECT family FROM artifacts WHERE alias = @of)", ""],
  ],
  [
    "answers of an erased caller kept in a database",
    [inDatabase, "DELETE FROM iam.answers WHERE caller = one.caller;", ""],
  ],
  [
    "grants of an erased person kept in a database",
    [inDatabase, "WHERE a.alias = one.of_user", "WHERE false"],
  ],
  [
    "sessions of an erased person kept in a database",
    [inDatabase, "WHERE family = one.of_user\n", "WHERE false\n"],
  ],
  [
    "people of a refused append removed in a database",
    [inDatabase, "WHERE verdicts[f.command] = 0", "WHERE true"],
  ],
  [
    "erasure that removes nothing beside the log",
    at("execute/user-removal.ts", "users: [userId]", "users: []"),
  ],
  [
    "grant that does not say whose it is",
    at(adapter, 'if (model === "Grant") return accountId && ofUser(accountId);', ""),
  ],
  [
    "session that does not say whose it is",
    at(adapter, 'model === "Session" ? accountId :', 'model === "Session" ? undefined :'),
  ],
  ["open login that does not say whose it is", at(adapter, " ?? session?.accountId", "")],
  [
    "step of a login that does not say whose it is",
    at("provider/base/step.ts", "key: keyOf(uid), family, payload", "key: keyOf(uid), payload"),
  ],
];
