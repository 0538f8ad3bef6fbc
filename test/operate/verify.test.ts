import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { damageLinesMax, printVerification } from "../../src/log/maintain.ts";
import { projector } from "../../src/log/projector.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { verifySqlite } from "../../src/store/sqlite/verify/verify.ts";
import { isFull } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { viewTexts } from "../harness/texts.ts";
import { type Ended, run as runHere } from "../start/command.ts";

afterEach(endProcesses);

/** Runs a command to its end in this process. */
const run = (command: "verify" | "rebuild", dataDir: string): Promise<Ended> =>
  runHere([command, `--data-dir=${dataDir}`]);

/** Runs a command to its end in a process of its own. */
async function runBeside(command: "verify" | "rebuild", dataDir: string): Promise<Ended> {
  const started = startProcess([command, `--data-dir=${dataDir}`]);
  const { code } = await started.ended;
  return { code: code ?? undefined, stdout: started.stdout(), stderr: started.stderr() };
}

function damage(dataDir: string, sql: string): void {
  const db = viewTexts(new Database(join(dataDir, "iam.db")));
  db.exec(sql);
  db.close();
}

const stopFirst =
  "Stop each service that has this log open: its writing calls wait or fail until the end.\n";

const planted = "Planted-Person";

async function importPerson({ url, admin }: TestServer): Promise<void> {
  const response = await fetch(`${url}/management/v1/users/human/_import`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      userName: "ada",
      profile: { firstName: planted, lastName: planted },
      email: { email: `${planted}@example.com` },
    }),
  });
  expect(response.status).toBe(200);
}

async function serving(body: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  try {
    await body(server);
  } finally {
    await server.close();
  }
}

describe("beside a service that serves", () => {
  test("verify sees one moment, rebuild changes nothing that it knows", async () => {
    await serving(async (server) => {
      await importPerson(server);
      let isOver = false;
      const verifying = runBeside("verify", server.dataDir).finally(() => {
        isOver = true;
      });
      for (let count = 0; !isOver; count += 1) {
        const app = { name: `${count}` };
        const response = await fetch(
          `${server.url}/management/v1/projects/${server.project}/apps/api`,
          {
            method: "POST",
            headers: {
              authorization: `Bearer ${server.admin.token}`,
              "content-type": "application/json",
            },
            body: JSON.stringify(app),
          },
        );
        expect(response.status).toBe(200);
      }
      expect(await verifying).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^There was no head .+\nChecked .+: nothing is damaged\.\n$/),
        stderr: "",
      });

      const rebuild = isFull ? runBeside : run;
      expect(await rebuild("rebuild", server.dataDir)).toMatchObject({ code: 0, stderr: "" });
      expect(await run("verify", server.dataDir)).toMatchObject({ code: 0 });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    });
  });
});

describe("damage", () => {
  test("is named and mended; nothing of payloads and states is told", async () => {
    await serving(async (server) => {
      await importPerson(server);
      damage(
        server.dataDir,
        `DELETE FROM messages;
         UPDATE objects SET state = '{"firstName":"${planted}"}' 
           WHERE stream = (SELECT stream FROM events WHERE type = 'user.human.added');
         UPDATE fields SET folded = '${planted}' WHERE name = 'firstName' AND folded <> ''`,
      );
      const damaged = await run("verify", server.dataDir);
      expect(damaged).toMatchObject({ code: 1, stderr: "" });
      expect(damaged.stdout).not.toContain(planted);
      expect(damaged.stdout).toMatch(/: it is missing, but user-[\w-]+ asked for it\n/);
      expect(damaged.stdout).toMatch(/: 5 damages\.\n$/);

      const mended = await run("rebuild", server.dataDir);
      expect(mended).toMatchObject({ code: 0, stderr: "" });
      expect(mended.stdout.replaceAll(/\d+/g, "N").replace(/pending message\b/, "$&s")).toBe(
        `${stopFirst}Made N objects, N claims, N fields and N pending messages ` +
          `from N events of N streams.\n`,
      );
      expect(await run("verify", server.dataDir)).toMatchObject({ code: 0, stderr: "" });

      damage(
        server.dataDir,
        `UPDATE events SET payload = replace(payload, '"${planted}"', '{"${planted}"')
         WHERE type = 'user.human.added'`,
      );
      const changed = await run("verify", server.dataDir);
      expect(changed.stdout.split("\n")).toEqual([
        expect.stringMatching(/^event at position \d, version 1 of user-\S+: it is not what was/),
        expect.stringMatching(/^There was no head to compare with/),
        expect.stringMatching(/^Checked .+: 1 damage\.$/),
        "",
      ]);
      expect(changed.stdout).not.toContain(planted);
      const refused = await run("rebuild", server.dataDir);
      expect(refused).toMatchObject({ code: 1, stdout: stopFirst });
      expect(refused.stderr).toMatch(
        /^The event log \S+ cannot be rebuilt: event at position \d+, version 1 of user-.+\.\n$/,
      );
      expect(refused.stderr).not.toContain(planted);
      expect(await run("verify", server.dataDir)).toEqual(changed);
    });
  });

  few().each([
    { damages: damageLinesMax, rest: [] },
    { damages: damageLinesMax + 1, rest: ["and 1 more damage"] },
    { damages: damageLinesMax + 2, rest: ["and 2 more damages"] },
  ])("of $damages places is told in at most so many lines", async ({ damages, rest }) => {
    await inDirectory(async (dataDir) => {
      const path = join(dataDir, "iam.db");
      await (await openSqlite({ path, projector, ...sealingIn(dataDir) })).close();
      damage(
        dataDir,
        `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${damages})
         INSERT INTO claims SELECT 'name', 'org-1', i, 'ghost-' || i FROM n`,
      );
      const lines: string[] = [];
      const say = (line: string) => void lines.push(line);
      const verify = (report: (line: string) => void) =>
        verifySqlite({ path, projector, ...sealingIn(dataDir) }, report);
      expect(await printVerification(path, verify, say)).toBe(false);
      expect(lines.slice(0, damageLinesMax)).toEqual(
        expect.arrayContaining(["claim name (scope org-1, value 1): no event explains it"]),
      );
      expect(lines.slice(damageLinesMax)).toEqual([
        ...rest,
        `Checked 1 event of 1 stream and 1 object, ${damages} claims, 0 fields and ` +
          `0 pending messages: ${damages} damages.`,
      ]);
    });
  });
});

test("what cannot be read is refused in one sentence, and nothing is made", async () => {
  await inDirectory(async (directory) => {
    const nothing = join(directory, "data");
    const text = join(directory, "text");
    await mkdir(text);
    await writeFile(join(text, "iam.db"), "this is no database".repeat(100));
    const refusals = await Promise.all(
      [nothing, text].flatMap((dataDir) => [run("verify", dataDir), run("rebuild", dataDir)]),
    );
    const refusal = (dataDir: string, done: string, why: string) =>
      `The event log ${dataDir}/iam.db cannot be ${done}: ${why}\n`;
    const [noFile, noDatabase] = ["there is no such file", "file is not a database"];
    expect(refusals).toEqual([
      { code: 1, stdout: "", stderr: refusal(nothing, "verified", noFile) },
      { code: 1, stdout: stopFirst, stderr: refusal(nothing, "rebuilt", noFile) },
      { code: 1, stdout: "", stderr: refusal(text, "verified", noDatabase) },
      { code: 1, stdout: stopFirst, stderr: refusal(text, "rebuilt", noDatabase) },
    ]);
    expect(await readdir(directory)).toEqual(["text"]);
    expect(await readdir(text)).toEqual(["iam.db"]);
  });
});
