import type { Mistake } from "../harness/plant.ts";
import type { Job } from "./jobs.ts";
import type { Problem } from "./ledger.ts";

/** A fault in a copy of the service, and which kind of job has to find it. */
export interface Plant extends Mistake {
  readonly foundBy: Job["kind"];
  /** What has to be said of the log then; left out, anything. */
  readonly shows?: Problem["kind"];
}

const adapter = "src/provider/library/adapter.ts";
const commit = "src/store/sqlite/commit.ts";

/** Each of them loses something that was acknowledged, or tells something that is not so. */
export const plants: readonly Plant[] = [
  {
    name: "commits are not forced to the disk",
    foundBy: "images",
    edits: [["src/store/sqlite/connection.ts", "synchronous = FULL", "synchronous = NORMAL"]],
  },
  {
    name: "a call is answered before its commit",
    foundBy: "kills",
    edits: [
      [commit, "      commit.run();\n", ""],
      [
        commit,
        "  async function run(): Promise<void> {\n",
        `  async function commitLate(): Promise<false> {
    await pause(30);
    if (db.inTransaction) db.exec("COMMIT");
    return false;
  }

  async function run(): Promise<void> {\n`,
      ],
      [
        commit,
        'if (done === "settled") break;',
        'if (done === "settled" && !(await commitLate())) break;',
      ],
    ],
  },
  {
    name: "a command is written in two commits",
    foundBy: "images",
    edits: [
      [
        "src/store/sqlite/append.ts",
        "      const { first, written } = writeChange(",
        `      if (i > 0) db.exec("COMMIT; BEGIN IMMEDIATE");
      const { first, written } = writeChange(`,
      ],
    ],
  },
  {
    name: "the name of the key is not forced to the disk",
    foundBy: "images",
    edits: [
      [
        "src/file.ts",
        "    await syncDirectory(dirname(path));\n    return placed;",
        "    return placed;",
      ],
    ],
  },
  {
    name: "a file gets its name before what it holds is on the disk",
    foundBy: "images",
    edits: [["src/file.ts", "    await sync(draft);\n", ""]],
  },
  {
    name: "a message is recorded as sent before it is",
    foundBy: "images",
    edits: [["src/notify/channel/outbox.ts", "await readOrCreate(", "void readOrCreate("]],
  },
  {
    name: "who has used a code or a refresh token is remembered in memory",
    ...{ foundBy: "logins", shows: "twice" },
    edits: [
      [
        adapter,
        "await artifacts.useFirst(key, () => request.lose(family));",
        "if (used.has(id) || used.add(id).size === 0) await request.lose(family);",
      ],
      [
        adapter,
        "function artifactAdapter(",
        "const used = new Set<string>();\n\nfunction artifactAdapter(",
      ],
    ],
  },
  {
    name: "what logins leave behind is kept in memory",
    ...{ foundBy: "logins", shows: "lost" },
    edits: [
      [
        "src/store/sqlite/artifacts.ts",
        "  const ofKey = db.prepare<[string], ArtifactRow>(",
        `  db.exec("CREATE TEMP TABLE artifacts AS SELECT * FROM main.artifacts WHERE false");
  db.exec("CREATE UNIQUE INDEX temp.artifact_keys ON artifacts (key)");
  const ofKey = db.prepare<[string], ArtifactRow>(`,
      ],
    ],
  },
  {
    name: "a commit that failed is answered as one that did not",
    foundBy: "disk",
    edits: [
      [
        commit,
        "        rejectAll(batch, told);\n",
        "        for (const answer of answers) answer();\n",
      ],
    ],
  },
  {
    name: "a commit that may appear is answered as one that did not happen",
    foundBy: "disk",
    edits: [["src/store/sqlite/outcome.ts", "return mayAppear ? error : cause;", "return cause;"]],
  },
  {
    name: "an organization is removed before what goes with it",
    ...{ foundBy: "removals", shows: "torn" },
    edits: [["src/api/org.ts", "removeOrg(states, dependants,", "removeOrg(states, [],"]],
  },
  {
    name: "a role is removed before what goes with it",
    ...{ foundBy: "role-removals", shows: "torn" },
    edits: [["src/api/role.ts", "removeRole(states, found.dependants,", "removeRole(states, [],"]],
  },
  {
    name: "nobody looks for what is left of removed roles",
    ...{ foundBy: "role-removals", shows: "stalled" },
    edits: [["src/start/clear.ts", ', "project.role.removed"]', "]"]],
  },
  {
    name: "nobody takes over the turn of a process that was killed",
    ...{ foundBy: "removals", shows: "stalled" },
    edits: [["src/start/periodic.ts", "expiresMs: nowMs + everyMs", "expiresMs: nowMs + 1e12"]],
  },
];
