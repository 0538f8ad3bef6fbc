import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "./jobs.ts";

/** A fault in a copy of the service, and which kind of job has to find it. */
export interface Plant {
  readonly name: string;
  readonly foundBy: Job["kind"];
  /** Each text stands once in the file of `src/`, and is replaced. */
  readonly edits: readonly (readonly [file: string, find: string, replace: string])[];
}

const root = join(import.meta.dirname, "../..");
const commit = "store/sqlite/commit.ts";

/** Each of them loses something that was acknowledged, or tells something that is not so. */
export const plants: readonly Plant[] = [
  {
    name: "commits are not forced to the disk",
    foundBy: "images",
    edits: [["store/sqlite/connection.ts", "synchronous = FULL", "synchronous = NORMAL"]],
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
        'while (commitBatch() === "busy") {',
        'while (commitBatch() === "busy" || (await commitLate())) {',
      ],
    ],
  },
  {
    name: "a command is written in two commits",
    foundBy: "images",
    edits: [
      [
        "store/sqlite/append.ts",
        "      const written = writeChange(",
        `      if (i > 0) db.exec("COMMIT; BEGIN IMMEDIATE");
      const written = writeChange(`,
      ],
    ],
  },
  {
    name: "the name of the key is not forced to the disk",
    foundBy: "images",
    edits: [
      [
        "file.ts",
        "    await syncDirectory(dirname(path));\n    return placed;",
        "    return placed;",
      ],
    ],
  },
  {
    name: "a file gets its name before what it holds is on the disk",
    foundBy: "images",
    edits: [["file.ts", "    await sync(draft);\n", ""]],
  },
  {
    name: "a message is recorded as sent before it is",
    foundBy: "images",
    edits: [["notify/outbox.ts", "await readOrCreate(", "void readOrCreate("]],
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
    edits: [["store/sqlite/outcome.ts", "return mayAppear ? error : cause;", "return cause;"]],
  },
];

/** Makes a copy of the project with the fault in it. Throws where an edit does not apply. */
export async function plant(project: string, fault: Plant): Promise<void> {
  for (const path of ["src", "gen", "package.json"]) {
    await cp(join(root, path), join(project, path), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(project, "node_modules"));
  for (const [file, text] of await edited(fault)) {
    await writeFile(join(project, "src", file), text);
  }
}

/** The files of `src/` that the fault changes, with it. Throws where an edit does not apply. */
export async function edited({ name, edits }: Plant): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [file, find, replace] of edits) {
    const text = texts.get(file) ?? (await readFile(join(root, "src", file), "utf8"));
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`"${name}" no longer applies: ${file} has this ${parts.length - 1} times:
${find}`);
    }
    texts.set(file, parts.join(replace));
  }
  return texts;
}
