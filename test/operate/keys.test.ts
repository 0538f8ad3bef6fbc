import { randomBytes } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { loadKeyFile, rotate } from "../../src/secrets/keys.ts";
import { createToken } from "../../src/secrets/tokens.ts";
import { readRows } from "../crash/ledger.ts";
import { shortened } from "../harness/extent.ts";
import { inDirectory } from "../harness/process.ts";
import { viewTexts } from "../harness/texts.ts";
import { run, start } from "../start/command.ts";

/** Serves a data directory while the body runs. */
async function serving<T>(
  dataDir: string,
  body: (call: Call, url: string) => Promise<T>,
): Promise<T> {
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
    }, service.url);
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

const client = { clientId: "client", clientSecret: "a secret that the keyring seals" };
const oidc = { ...client, issuer: "https://id.example.com" };
const given = { ...client, providerOptions: { isLinkingAllowed: true } };
const providers = Object.entries({
  ...{ oidc, generic_oidc: { ...oidc, ...given }, google: given, github: given, azure: given },
});

describe("keys", () => {
  test("are rotated and retired, and what they sealed still opens without them", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const flag = `--data-dir=${data}`;
      await serving(data, async (call) => {
        for (const [path, more] of providers) {
          const made = await call(`/management/v1/idps/${path}`, { name: path, ...more });
          expect(made).toMatchObject({ status: 200 });
        }
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
      expect(early.stderr).toContain("is the newest key, which seals secrets");
      await serving(data, async () => {});
      const retired = await run(["keys", "retire", old, flag]);
      expect(retired).toMatchObject({ code: 0, stderr: "" });
      expect(retired.stdout).toContain("5 secrets were sealed again");
      const again = await run(["keys", "retire", old, flag]);
      expect(again).toMatchObject({ code: 1 });

      const text = await readFile(join(data, "master.key"), "utf8");
      const IAM_MASTER_KEY = text.split(",")[0]!.trim();
      const service = await start([flag, "--port=0"], { IAM_MASTER_KEY });
      await service.close();
      expect(await run(["verify", flag], { IAM_MASTER_KEY })).toMatchObject({ code: 0 });
    });
  });

  test.each([0, 1])("that were retired never come in front again, with %i more", async (more) => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const flag = `--data-dir=${data}`;
      const rotateOnce = () => run(["keys", "rotate", flag]);
      await serving(data, async () => {});
      const [old = ""] = await idsIn(data);
      for (let turn = 0; turn <= more; turn += 1) {
        for (const _step of ["added", "in front"]) {
          expect(await rotateOnce()).toMatchObject({ code: 0, stderr: "" });
          await serving(data, async () => {});
        }
      }
      const path = join(data, "master.key");
      const text = await readFile(path, "utf8");
      const take = async (count: number) => writeFile(path, text.split(",").slice(0, count).join());
      for (const id of (await idsIn(data)).slice(1)) {
        expect(await run(["keys", "retire", id, flag])).toMatchObject({ code: 0, stderr: "" });
      }
      const refused = `The key ${old} was retired: remove it from ${path}, and run this again.`;
      expect(await rotateOnce()).toMatchObject({ code: 1, stderr: `${refused}\n` });
      expect(await readFile(path, "utf8")).toBe(text);
      await take(1 + more);
      if (more > 0) expect(await rotateOnce()).toMatchObject({ code: 1 });
      await take(1);
      expect((await rotateOnce()).stdout).toContain("Added the key");
      await serving(data, async () => {});
    });
  });

  test("that sign tokens are sealed anew, and stay what they are", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const flag = `--data-dir=${data}`;
      const published = () =>
        serving(data, async (_call, url) => (await fetch(`${url}/oauth/v2/keys`)).json());
      const before = await published();
      const [old = ""] = await idsIn(data);
      for (const _step of ["added", "first"]) {
        expect(await run(["keys", "rotate", flag])).toMatchObject({ code: 0, stderr: "" });
        expect(await published()).toEqual(before);
      }
      const retired = await run(["keys", "retire", old, flag]);
      expect(retired.stdout).toContain("1 secret was sealed again");
      const text = await readFile(join(data, "master.key"), "utf8");
      await writeFile(join(data, "master.key"), text.split(",")[0]!);
      expect(await published()).toEqual(before);
    });
  });

  test("in a file that a link leads to are rotated there", async () => {
    await inDirectory(async (directory) => {
      const [data, kept] = [join(directory, "data"), join(directory, "kept")];
      await serving(data, async () => {});
      await mkdir(kept);
      await rename(join(data, "master.key"), join(kept, "the.key"));
      await symlink("../kept/the.key", join(data, "master.key"));
      expect(await run(["keys", "rotate", `--data-dir=${data}`])).toMatchObject({ code: 0 });
      expect(await readlink(join(data, "master.key"))).toBe("../kept/the.key");
      expect(await idsIn(data)).toHaveLength(2);
      expect(await readdir(kept)).toEqual(["the.key"]);
    });
  });

  test("are rotated by one of several that begin at once", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await serving(data, async () => {});
      const [old = ""] = await idsIn(data);
      const rotations = ["keys", "rotate", `--data-dir=${data}`];
      const ended = await Promise.all(Array.from({ length: 4 }, () => run(rotations)));
      expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1]);
      for (const { stderr } of ended.filter(({ code }) => code === 1)) {
        expect(stderr).toContain(`${join(data, "master.key")} was changed by somebody else`);
      }
      expect(await idsIn(data)).toEqual([old, expect.any(String)]);
    });
  });

  test("that a process does not have show in /readyz until it is started again", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const warnings = async (url: string) => {
        const answer = await fetch(`${url}/readyz`);
        return ((await answer.json()) as { readonly warnings: readonly string[] }).warnings;
      };
      const changed = "The keys in master.key differ from those of this process: restart it.";
      const flags = [`--data-dir=${data}`, "--port=0"];
      for (const rotates of [true, true, false]) {
        const service = await start(flags);
        expect(await warnings(service.url)).toEqual([]);
        if (rotates) await run(["keys", "rotate", `--data-dir=${data}`]);
        else await rm(join(data, "master.key"));
        expect(await warnings(service.url)).toEqual([changed]);
        await service.close();
      }
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
      expect(stdout).toMatch(
        /sealed a code that is valid until \d{4}-|whose mail has not been sent/,
      );
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
        expect(readRows(join(data, "iam.db"))).toContainEqual(
          expect.objectContaining({ type: "user.token.recovered", actor: "operator" }),
        );
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
        const db = viewTexts(new Database(logIn(data)));
        const stream = `(SELECT coalesce(max(stream), 'user-gone') FROM objects
          WHERE kind = '${kind}' AND fields NOT LIKE '%admin%')`;
        const sql = `UPDATE claims SET stream = ${stream}
          WHERE kind = 'user.name' AND value = 'admin'`;
        db.exec(sql);
        const held = db.prepare("SELECT stream FROM claims WHERE value = 'admin'").pluck().get();
        expect(held).toMatch(kind === "gone" ? /^$/ : new RegExp(`^${kind}-`));
        db.close();
        const { code, stderr } = await run(["token", "--user", "admin", `--data-dir=${data}`]);
        // A claim of an object that never was leads nowhere.
        const says =
          kind === "gone"
            ? /^No user has this name or id\.$/m
            : /^The name leads to \S+, which has another name: the log was changed/;
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
