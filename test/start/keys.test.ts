import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { loadKeyFile, rotate } from "../../src/secrets/keys.ts";
import { createToken } from "../../src/secrets/tokens.ts";
import { logIn } from "../../src/start/log-path.ts";
import { shortened } from "../harness/extent.ts";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "./command.ts";

/** Serves a data directory while the body runs. */
async function serving<T>(dataDir: string, body: (call: Call) => Promise<T>): Promise<T> {
  const service = await start([`--data-dir=${dataDir}`, "--port=0"]);
  try {
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    return await body(async (path, body, bearer = token) => {
      const answer = await fetch(`${service.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: await answer.json() };
    });
  } finally {
    await service.close();
  }
}

type Call = (
  path: string,
  body: object,
  bearer?: string,
) => Promise<{ readonly status: number; readonly body: unknown }>;

const idsIn = async (dataDir: string) => (await loadKeyFile(dataDir))!.map(({ id }) => id);

const provider = {
  name: "Shop",
  issuer: "https://id.example.com",
  clientId: "client",
  clientSecret: "a secret that the keyring seals",
  scopes: ["openid"],
};

describe("keys", () => {
  test("are rotated and retired, and what they sealed still opens without them", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const flag = `--data-dir=${data}`;
      await serving(data, async (call) => {
        expect(await call("/management/v1/idps/oidc", provider)).toMatchObject({ status: 200 });
      });
      const [old = ""] = await idsIn(data);

      const added = await run(["keys", "rotate", flag]);
      expect(added).toMatchObject({ code: 0, stderr: "" });
      const [, fresh = ""] = await idsIn(data);
      expect(await idsIn(data)).toEqual([old, fresh]);
      expect(added.stdout).toContain(`Added the key ${fresh}`);
      await serving(data, async () => {});
      expect(await run(["keys", "rotate", flag])).toMatchObject({ code: 0, stderr: "" });
      expect(await idsIn(data)).toEqual([fresh, old]);

      const early = await run(["keys", "retire", fresh, flag]);
      expect(early.stderr).toContain("is the newest, which seals");
      await serving(data, async () => {});
      const retired = await run(["keys", "retire", old, flag]);
      expect(retired).toMatchObject({ code: 0, stderr: "" });
      expect(retired.stdout).toContain("1 secret was sealed anew");
      const again = await run(["keys", "retire", old, flag]);
      expect(again).toMatchObject({ code: 1 });

      const text = await readFile(join(data, "master.key"), "utf8");
      const alone = text.split(",")[0]!;
      const IAM_MASTER_KEY = alone.trim();
      const service = await start([flag, "--port=0"], { IAM_MASTER_KEY });
      await service.close();
      expect(await run(["verify", flag], { IAM_MASTER_KEY })).toMatchObject({ code: 0 });
    });
  });

  test("stay as long as a code is good that they sealed", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const flag = `--data-dir=${data}`;
      await serving(data, async (call) => {
        const person = {
          userName: "ada",
          profile: { firstName: "Ada", lastName: "Lovelace" },
          email: { email: "ada@example.com" },
        };
        expect(await call("/management/v1/users/human/_import", person)).toMatchObject({
          status: 200,
        });
      });
      const [old = ""] = await idsIn(data);
      await run(["keys", "rotate", flag]);
      await run(["keys", "rotate", flag]);
      await serving(data, async () => {});
      const { code, stdout } = await run(["keys", "retire", old, flag]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/sealed a code that is good until \d{4}-|whose mail has not left/);
    });
  });

  test("are no more than 16 at once", () => {
    let text = rotate(`k0:${Buffer.alloc(32).toString("base64")}`, () => true, randomBytes).text;
    for (let count = 2; count < 16; count += 1) text = rotate(text, () => true, randomBytes).text;
    expect(text.split(",")).toHaveLength(16);
    expect(() => rotate(text, () => true, randomBytes)).toThrow("retire one before");
    expect(rotate(text, () => false, randomBytes).step).toBe("in front");
  });
});

describe("a token for who has lost theirs", () => {
  test("is given at the machine, and lets in beside a service that runs", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await serving(data, async (call) => {
        const body = { name: "Mine" };
        const lost = await call("/management/v1/projects", body, createToken(randomBytes));
        expect(lost.status).toBe(401);
        const given = await run(["token", "--user", "Admin", `--data-dir=${data}`]);
        expect(given).toMatchObject({ code: 0, stderr: "" });
        const token = given.stdout.trim();
        expect(await call("/management/v1/projects", body, token)).toMatchObject({ status: 200 });
      });
    });
  });

  test.each([
    [["token"], "token needs --user NAME"],
    [["token", "--user", "nobody"], "No user has this name or id."],
  ])("%j is refused", async (args, says) => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await serving(data, async () => {});
      const { code, stderr } = await run([...args, `--data-dir=${data}`]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
    });
  });

  test.each(shortened(["user", "project", "gone"], 1))(
    "is not given to whom a name leads that was moved to a %s",
    async (kind) => {
      await inDirectory(async (directory) => {
        const data = join(directory, "data");
        await serving(data, async (call) => {
          const body = { userName: "mallory", name: "Mallory" };
          await call("/management/v1/users/machine", body);
          await call("/management/v1/projects", { name: "Mine" });
        });
        const db = new Database(logIn(data));
        const stream = `(SELECT coalesce(max(stream), 'user-gone') FROM objects
          WHERE kind = '${kind}' AND fields NOT LIKE '%admin%')`;
        const sql = `UPDATE claims SET stream = ${stream} WHERE kind = 'user.name' AND value = 'admin'`;
        expect(db.prepare(sql).run().changes).toBe(1);
        db.close();
        const { code, stderr } = await run(["token", "--user", "admin", `--data-dir=${data}`]);
        const says = /^The name leads to \S+, which does not have it: the file was changed/;
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(says) });
      });
    },
  );

  test("is not given where there is no log, and none is made", async () => {
    await inDirectory(async (directory) => {
      const { stderr } = await run(["token", "--user", "admin", `--data-dir=${directory}`]);
      expect(stderr).toContain("There is no event log");
    });
  });
});
