import { copyFile, mkdir, readdir, readFile, readlink, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { shortened } from "../harness/extent.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { run } from "../start/command.ts";

/** What becomes of what a service acknowledges while its files are taken away from it. */

afterEach(endProcesses);

type Way = readonly [what: string, does: (dataDir: string, older: string) => Promise<unknown>];

const ways: readonly Way[] = [
  // Again where a file was made in it meanwhile: the service writes on.
  [
    "the data directory is removed",
    (dataDir) => rm(dataDir, { recursive: true, maxRetries: 10, retryDelay: 10 }),
  ],
  ["its log is removed", (dataDir) => rm(join(dataDir, "iam.db"))],
  ["an older log is moved there", (dataDir, older) => rename(older, join(dataDir, "iam.db"))],
  ["the data directory is renamed", (dataDir) => rename(dataDir, `${dataDir}-away`)],
];

test.each(shortened(ways))("where %s, nothing is acknowledged that is lost", async (_, does) => {
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "data");
    const older = join(directory, "older.db");
    const service = startProcess(["--port=0", `--data-dir=${dataDir}`]);
    const url = await service.listening;
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    await copyFile(join(dataDir, "iam.db"), older);

    const acknowledged: string[] = [];
    const client = async (id: number): Promise<string> => {
      for (let count = 0; ; count += 1) {
        const name = `${id} ${count}`;
        const response = await fetch(`${url}/management/v1/projects`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ name }),
        });
        const answer = (await response.json()) as Answer;
        if (!response.ok) return `${response.status} ${answer.details[0]?.reason}`;
        acknowledged.push(name);
        if (acknowledged.length === 100) await does(dataDir, older);
      }
    };
    const ends = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(client));
    for (const end of ends) expect(["503 LOG_FILE_REPLACED", "500 OUTCOME_UNKNOWN"]).toContain(end);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ((await ready.json()) as Answer).details[0]?.reason]).toEqual([
      503,
      "LOG_FILE_REPLACED",
    ]);
    await service.logged("the files of the log are not those that were opened");

    if (process.platform === "linux") {
      const rescued = join(directory, "rescued");
      await rescue(service.pid, rescued);
      expect(await namesIn(rescued)).toEqual(expect.arrayContaining(acknowledged));
      const { code, stdout } = await run(["verify", `--data-dir=${rescued}`]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("nothing is") });
    }
    service.kill("SIGTERM");
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.stderr().match(/"level":60/g)).toHaveLength(1);
  });
});

interface Answer {
  readonly details: readonly { readonly reason?: string }[];
}

/** Saves what a process has open of its log, as docs/operate.md says. */
async function rescue(pid: number, into: string): Promise<void> {
  await mkdir(into);
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
    const [, name] = /\/(iam\.db(?:-wal)?)(?: \(deleted\))?$/.exec(target) ?? [];
    if (name !== undefined) await copyFile(`/proc/${pid}/fd/${fd}`, join(into, name));
  }
}

async function namesIn(dataDir: string): Promise<readonly unknown[]> {
  const log = new Database(join(dataDir, "iam.db"));
  const names = log.prepare("SELECT payload ->> 'name' FROM events WHERE type = 'project.added'");
  const all = names.pluck().all();
  log.close();
  return all;
}
