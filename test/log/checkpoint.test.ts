import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { parseHead } from "../../src/store/chain/head.ts";
import { inDirectory } from "../harness/process.ts";
import { type Ended, run, start } from "../start/command.ts";
import { forge } from "./forgery.ts";

// An auditor has the public key, a checkpoint and a copy of the log, and no secret.

const environment = { IAM_MASTER_KEY: `ours:${Buffer.alloc(32, 7).toString("base64")}` };

let given: string;
let release: () => void;
let done: Promise<void>;

async function work(dataDir: string, name: string): Promise<void> {
  const running = await start(["--port=0", `--data-dir=${dataDir}`], environment);
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const response = await fetch(`${running.url}/management/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(200);
  await running.close();
}

async function printed(dataDir: string, ...flags: readonly string[]): Promise<string> {
  const args = ["checkpoint", ...flags, `--data-dir=${dataDir}`];
  const { code, stdout, stderr } = await run(args, environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

beforeAll(async () => {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  release = resolve;
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  done = inDirectory(async (directory) => {
    given = directory;
    for (const name of ["data", "other"]) {
      const dataDir = join(directory, name);
      await work(dataDir, "Before");
      await writeFile(join(directory, `${name}.checkpoint`), await printed(dataDir));
      await writeFile(join(directory, `${name}.pem`), await printed(dataDir, "--public-key"));
    }
    await mkdir(join(directory, "copy"));
    await cp(logIn(join(directory, "data")), logIn(join(directory, "copy")));
    await work(join(directory, "data"), "After");
    isReady();
    await until;
  });
  await Promise.race([ready, done]);
});
afterAll(async () => {
  release();
  await done;
});

/** What an auditor has: the log, and where everything else lies. */
interface Audit {
  readonly directory: string;
  readonly copy: string;
  readonly checkpoint: string;
  readonly publicKey: string;
  /** Verifies as the auditor does, without any secret. */
  verify(...flags: readonly string[]): Promise<Ended>;
}

async function inAudit(body: (audit: Audit) => Promise<void>): Promise<void> {
  await inDirectory(async (parent) => {
    const directory = join(parent, "audit");
    await cp(given, directory, { recursive: true });
    const copy = join(directory, "copy");
    await cp(logIn(join(directory, "data")), logIn(copy));
    const checkpoint = join(directory, "data.checkpoint");
    const publicKey = join(directory, "data.pem");
    const verify = (...flags: readonly string[]) => run(["verify", `--data-dir=${copy}`, ...flags]);
    await body({ directory, copy, checkpoint, publicKey, verify });
  });
}

const signed = ({ checkpoint, publicKey }: Audit) => [
  `--checkpoint=${checkpoint}`,
  `--public-key=${publicKey}`,
];

describe("a checkpoint", () => {
  test("says where the log ended, and its public key checks Ed25519 signatures", async () => {
    const [text, pem] = await Promise.all(
      ["data.checkpoint", "data.pem"].map((name) => readFile(join(given, name), "utf8")),
    );
    expect(JSON.parse(text!)).toEqual({
      log: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position: "10",
      link: expect.stringMatching(/^[0-9a-f]{64}$/),
      time: new Date(parseHead(text!)!.timeMs).toISOString(),
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
    });
    expect(createPublicKey(pem!).asymmetricKeyType).toBe("ed25519");
  });

  test("needs the master key, and a log", async () => {
    await inAudit(async ({ copy, directory }) => {
      for (const flags of [[], ["--public-key"]]) {
        const without = await run(["checkpoint", ...flags, `--data-dir=${copy}`]);
        expect(without).toMatchObject({ code: 1, stdout: "" });
        expect(without.stderr).toMatch(/^There is no master key, but the log was written/);
        const nothing = await run(["checkpoint", ...flags, `--data-dir=${directory}`], environment);
        expect(nothing).toEqual({
          ...{ code: 1, stdout: "" },
          stderr: `The event log ${logIn(directory)} has no checkpoint: there is no such file\n`,
        });
      }
    });
  });

  test("is not made of a log whose last event is forged, or cut off", async () => {
    await inAudit(async ({ copy }) => {
      await cp(join(copy, "../data", headFile), join(copy, headFile));
      for (const sql of [
        "UPDATE events SET time = time - 1 WHERE position = 11",
        "DELETE FROM events WHERE position = 11",
      ]) {
        new Database(logIn(copy)).exec(sql).close();
        const { code, stderr } = await run(["checkpoint", `--data-dir=${copy}`], environment);
        expect(code).toBe(1);
        expect(stderr).toMatch(/its head is not that of its last event: run verify for more/);
      }
    });
  });
});

describe("verify with a checkpoint and no secret", () => {
  test("finds all up to it unchanged, and changes nothing", async () => {
    await inAudit(async (audit) => {
      for (const flags of [signed(audit), [`--checkpoint=${audit.checkpoint}`]]) {
        const { code, stdout, stderr } = await audit.verify(...flags);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout.split("\n")).toEqual([
          expect.stringMatching(/^No master key: MACs were not checked/),
          "The log was not compared with the head in iam.head: it is missing or empty.",
          expect.stringMatching(/^Checked 11 events .+: nothing is damaged\.$/),
          expect.stringMatching(
            /^Up to position 10 the log is what \S+ says of \S+, signed with the key /,
          ),
          "",
        ]);
      }
      expect(await readdir(audit.copy)).toEqual(["iam.db"]);
    });
  });

  const changes: readonly (readonly [what: string, sql: string, says: RegExp])[] = [
    [
      "an event before it was changed, and all links made anew",
      "UPDATE events SET payload = replace(payload, 'Before', 'Beside') WHERE position = 10",
      /^log: up to position 10 it is not what it was at \S+ \(\S+data\.checkpoint\)$/m,
    ],
    [
      "the end was cut off before it",
      "DELETE FROM events WHERE position > 9",
      /^log: it ends at position 9, and had 10 at \S+ \(\S+data\.checkpoint\)$/m,
    ],
    [
      "the log was named otherwise",
      "UPDATE head SET log = 'another'",
      /^log: it is the log another, and was \S+ at \S+ \(\S+data\.checkpoint\)$/m,
    ],
  ];

  test.each(changes)("finds that %s", async (_what, sql, says) => {
    await inAudit(async (audit) => {
      forge(logIn(audit.copy), sql);
      const { code, stdout } = await audit.verify(...signed(audit));
      expect(stdout).toMatch(says);
      expect(code).toBe(1);
    });
  });

  test("does not find what was changed behind it", async () => {
    await inAudit(async (audit) => {
      forge(logIn(audit.copy), "DELETE FROM events WHERE position > 10");
      expect((await audit.verify(...signed(audit))).stdout).not.toContain("data.checkpoint");
    });
  });

  test("finds that it is of another log", async () => {
    await inAudit(async (audit) => {
      const { directory, verify } = audit;
      const { code, stdout } = await verify(
        `--checkpoint=${join(directory, "other.checkpoint")}`,
        `--public-key=${join(directory, "other.pem")}`,
      );
      expect(stdout).toMatch(/^log: it is the log \S+, and was \S+ at .+other\.checkpoint\)$/m);
      expect(code).toBe(1);
    });
  });
});

describe("verify refuses a checkpoint", () => {
  const changed = (name: string, value: string) => async (audit: Audit) => {
    const text = await readFile(audit.checkpoint, "utf8");
    await writeFile(audit.checkpoint, JSON.stringify({ ...JSON.parse(text), [name]: value }));
    return signed(audit);
  };
  const written = (text: string) => async (audit: Audit) => {
    await writeFile(audit.checkpoint, text);
    return signed(audit);
  };
  const withKey = (pem: string) => async (audit: Audit) => {
    await writeFile(audit.publicKey, pem);
    return signed(audit);
  };
  const pemOf = ({ publicKey }: ReturnType<typeof generateKeyPairSync>) =>
    String(publicKey.export({ format: "pem", type: "spki" }));
  const noSignature = /data\.checkpoint was not signed with the key in \S+\n$/;
  const noCheckpoint = /data\.checkpoint is not a checkpoint: it must be one printed line/;
  const noKey = /data\.pem is not an Ed25519 public key in PEM form\n$/;

  const rows: readonly (readonly [
    what: string,
    does: (audit: Audit) => Promise<readonly string[]>,
    says: RegExp,
  ])[] = [
    [
      "with another signature",
      changed("signature", Buffer.alloc(64).toString("base64")),
      noSignature,
    ],
    ["with no signature", changed("signature", ""), noSignature],
    ["that was moved", changed("position", "9"), noSignature],
    ["that was dated back", changed("time", "2020-01-01T00:00:00.000Z"), noSignature],
    [
      "that is a head with a MAC",
      async (audit) => {
        const head = join(audit.directory, "data", headFile);
        return [`--checkpoint=${head}`, `--public-key=${audit.publicKey}`];
      },
      /iam\.head was not signed with the key in \S+\n$/,
    ],
    [
      "with the public key of another log",
      async ({ directory, checkpoint }) => [
        `--checkpoint=${checkpoint}`,
        `--public-key=${join(directory, "other.pem")}`,
      ],
      noSignature,
    ],
    [
      "of another log, by the key that the log says is its own",
      async ({ directory }) => [`--checkpoint=${join(directory, "other.checkpoint")}`],
      /other\.checkpoint was not signed with the key that the log names itself/,
    ],
    ["without text", written(""), noCheckpoint],
    ["with a part of one", written('{"log":"'), noCheckpoint],
    ["with two of them", written("{}\n{}\n"), noCheckpoint],
    ["with a public key that is none", withKey("a key"), noKey],
    [
      "with a public key of another kind",
      withKey(pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }))),
      noKey,
    ],
    [
      "that is not there",
      async (audit) => [`--checkpoint=${audit.checkpoint}.none`],
      /\.none cannot be read: there is no such file\n$/,
    ],
    [
      "whose public key is not there",
      async ({ checkpoint }) => [`--checkpoint=${checkpoint}`, "--public-key=/no/such.pem"],
      /\/no\/such\.pem cannot be read: there is no such file\n$/,
    ],
  ];

  test.each(rows)("%s", async (_what, does, says) => {
    await inAudit(async (audit) => {
      const { code, stdout, stderr } = await audit.verify(...(await does(audit)));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(says);
    });
  });

  test("for want of a public key in the log", async () => {
    await inAudit(async (audit) => {
      const drop =
        "UPDATE events SET payload = json_remove(payload, '$.publicKey') WHERE position = 1";
      forge(logIn(audit.copy), drop);
      const { code, stderr } = await audit.verify(`--checkpoint=${audit.checkpoint}`);
      expect(stderr).toMatch(/the log is not an Ed25519 public key in PEM form\n$/);
      expect(code).toBe(1);
    });
  });
});
