import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { createToken, hashSecret } from "../../src/secrets/tokens.ts";
import { unfinishedFile } from "../../src/start/unfinished.ts";
import { few } from "../harness/in-full.ts";
import { leaveHead } from "../harness/log-keys.ts";
import { inDirectory } from "../harness/process.ts";
import { givenUser, startServer } from "../harness/server.ts";
import { viewTexts } from "../harness/texts.ts";
import { refusalOf, run, start } from "./command.ts";

const flags = (dataDir: string) => ["--port=0", `--data-dir=${dataDir}`];
const fileIn = (dataDir: string) => join(dataDir, "owner.link");
const linkIn = async (dataDir: string) => (await readFile(fileIn(dataDir), "utf8")).trim();
const codeOf = (link: string) => new URL(link).searchParams.get("code") ?? "";

/** The events about links, by type and actor. */
function eventsIn(dataDir: string): readonly string[] {
  const db = new Database(logIn(dataDir), { readonly: true });
  const query = "SELECT type || ' ' || actor FROM events WHERE type LIKE 'instance.owner%'";
  const found = db.prepare<[], string>(query).pluck().all();
  db.close();
  return found;
}

/** The status of the page behind a link, at the address where the service listens. */
async function open(url: string, link: string): Promise<number> {
  const { pathname, search } = new URL(link);
  return (await fetch(url + pathname + search)).status;
}

/** A token that no log knows. */
const unknown = createToken(randomBytes);

const added = "instance.owner.link.added operator";

describe("the first start", () => {
  test("leaves a link for its owner alone, and says where; later ones leave it", async () => {
    await inDirectory(async (dataDir) => {
      const first = await start(flags(dataDir));
      const link = await linkIn(dataDir);
      const { port } = new URL(first.url);
      expect(link).toMatch(new RegExp(`^http://localhost:${port}/ui/owner\\?code=[\\w-]{43}$`));
      expect((await stat(fileIn(dataDir))).mode & 0o777).toBe(0o600);
      expect(first.welcome).toContain(`Open the link in ${fileIn(dataDir)} to become an owner`);
      expect(first.welcome).not.toContain(codeOf(link));
      expect(await open(first.url, link)).toBe(200);
      await first.close();
      const second = await start(flags(dataDir));
      expect(await linkIn(dataDir)).toBe(link);
      expect(await open(second.url, link)).toBe(200);
      await second.close();
      expect(eventsIn(dataDir)).toEqual([added]);
    });
  });

  test("has the link lead to the address that people know", async () => {
    await inDirectory(async (dataDir) => {
      const url = "https://iam.example.com/some/where";
      await (await start([...flags(dataDir), `--public-url=${url}/`])).close();
      expect(await linkIn(dataDir)).toMatch(`${url}/ui/owner?code=`);
    });
  });

  few().each([
    ["once the link was left", true, 1],
    ["before the log knew the link", false, 1],
  ])("that is cut off %s goes on with that link", async (_, isKnown, count) => {
    await inDirectory(async (dataDir) => {
      const first = await start(flags(dataDir));
      await first.close();
      const link = await linkIn(dataDir);
      if (!isKnown) await forget(dataDir);
      await writeFile(join(dataDir, unfinishedFile), "");
      const again = await start(flags(dataDir));
      const now = await linkIn(dataDir);
      expect(codeOf(now)).toBe(codeOf(link));
      expect(new URL(now).port).toBe(new URL(again.url).port);
      expect(await open(again.url, now)).toBe(200);
      expect(await readdir(dataDir)).not.toContain(unfinishedFile);
      await again.close();
      expect(eventsIn(dataDir)).toHaveLength(count);
    });
  });

  test("says what to do about a file of that name that is none of its own", async () => {
    await inDirectory(async (dataDir) => {
      await writeFile(join(dataDir, unfinishedFile), "");
      await writeFile(fileIn(dataDir), "https://elsewhere.example.com/\n", { mode: 0o600 });
      expect(await refusalOf(flags(dataDir))).toBe(
        `${fileIn(dataDir)} has no valid link: remove it, then start again to get a new one.`,
      );
    });
  });
});

describe("a directory that somebody has made look unfinished", () => {
  const code = "c".repeat(43);
  /** Whose token lies there, and what else is written. */
  const forged: readonly (readonly [whose: string, token: string | undefined, sql: string])[] = [
    ["of a machine without the role", undefined, ""],
    [
      "that is nobody's, by a claim that leads to the owner",
      unknown,
      `INSERT INTO claims SELECT 'user.token', '', '${hashSecret(unknown)}', stream FROM claims
         WHERE kind = 'instance.owner'`,
    ],
    ["that the log does not know", unknown, ""],
  ];

  /** Leaves what a first start does that makes no link; answers the token of a machine. */
  async function givenLinkless(dataDir: string): Promise<string> {
    const server = await startServer({ kind: "file" });
    const { token } = await givenUser(server, server.admin.organization);
    await leaveHead(server.dataDir, server.store);
    await cp(server.dataDir, dataDir, { recursive: true });
    await server.close();
    return token;
  }

  // A log that was set up before there were links has had none yet.
  few().each(forged)("leaves no link by a token %s", (_whose, shown, sql) =>
    inDirectory(async (dataDir) => {
      const robots = await givenLinkless(dataDir);
      const token = shown ?? robots;
      const db = viewTexts(new Database(logIn(dataDir)));
      db.exec(sql);
      db.close();
      await writeFile(join(dataDir, "admin.token"), `${token}\n`);
      await writeFile(join(dataDir, unfinishedFile), "");
      const link = `http://localhost/ui/owner?code=${code}\n`;
      await writeFile(fileIn(dataDir), link, { mode: 0o600 });
      const again = await start(flags(dataDir));
      const status = await open(again.url, link);
      await again.close();
      expect([status, ...eventsIn(dataDir)]).toEqual([400]);
    }),
  );
});

/** Begins the directory anew, but for what was left of the first start beside the log. */
async function forget(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!["admin.token", "owner.link", "master.key"].includes(name)) {
      await rm(join(dataDir, name), { recursive: true });
    }
  }
}

describe("owner-link", () => {
  test("leaves another link in place of the one before, and prints where it is", async () => {
    await inDirectory(async (dataDir) => {
      const service = await start(flags(dataDir));
      const before = await linkIn(dataDir);
      const { port } = new URL(service.url);
      const told = await run(["owner-link", `--data-dir=${dataDir}`, `--port=${port}`]);
      const stdout = `The link is in ${fileIn(dataDir)}, and leads to http://localhost:${port}.\n`;
      expect(told).toEqual({ code: 0, stdout, stderr: "" });
      const after = await linkIn(dataDir);
      expect(after).toMatch(new RegExp(`^http://localhost:${port}/ui/owner\\?code=[\\w-]{43}$`));
      expect((await stat(fileIn(dataDir))).mode & 0o777).toBe(0o600);
      expect(await open(service.url, before)).toBe(400);
      expect(await open(service.url, after)).toBe(200);
      await service.close();
      expect(eventsIn(dataDir)).toEqual([added, added]);
    });
  });

  test("takes no link away where it cannot leave another", async () => {
    await inDirectory(async (dataDir) => {
      await (await start(flags(dataDir))).close();
      await rm(fileIn(dataDir));
      await mkdir(fileIn(dataDir));
      const { code, stderr } = await run(["owner-link", `--data-dir=${dataDir}`, "--port=8080"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(fileIn(dataDir))]);
      expect(eventsIn(dataDir)).toEqual([added]);
    });
  });

  test("needs to know where the service listens", async () => {
    await inDirectory(async (dataDir) => {
      await (await start(flags(dataDir))).close();
      const before = await linkIn(dataDir);
      const { code, stderr } = await run(["owner-link", ...flags(dataDir)]);
      expect([code, stderr]).toEqual([
        1,
        "Set IAM_PUBLIC_URL (--public-url), or IAM_PORT (--port) to where the service listens.\n",
      ]);
      expect(await linkIn(dataDir)).toBe(before);
    });
  });
});
