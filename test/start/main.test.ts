import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { flagOf } from "../../src/config/config.ts";
import { settings } from "../../src/config/settings.ts";
import { unfinishedFile } from "../../src/start/unfinished.ts";
import { callInFlight, secondHalf, textOf } from "../gateway/flight.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { refusalOf, run, start } from "./command.ts";

afterEach(endProcesses);

describe("the command line", () => {
  test.each([["help"], ["serve", "--port=x", "--help"]])("explains itself: %j", async (...args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name, default: value, meaning } of Object.values(settings)) {
      const line = stdout.split("\n").find((text) => text.includes(` ${name} `));
      expect(line).toContain(flagOf(name));
      expect(line).toContain(meaning);
      expect(line).toContain(`[${value}]`);
    }
  });

  test.each([
    { args: ["start"], env: {}, says: "unknown command start: see --help\n" },
    {
      args: ["smtp://user:secret@mail.example.com"],
      env: {},
      says: "the first argument is not a command or flag: see --help\n",
    },
    {
      args: ["--port", "eighty", "--log-level=loud"],
      env: { IAM_STOP_GRACE_MS: "soon" },
      says: [
        'IAM_PORT (--port) must be a whole number from 0 to 65535: "eighty"',
        "IAM_LOG_LEVEL (--log-level) must be one of " +
          'fatal, error, warn, info, debug, trace, silent: "loud"',
        'IAM_STOP_GRACE_MS (--stop-grace-ms) must be a whole number from 0 to 600000: "soon"',
        "",
      ].join("\n"),
    },
  ])("refuses $args $env in plain words", async ({ args, env, says }) => {
    expect(await run(args, env)).toEqual({ code: 1, stdout: "", stderr: says });
  });

  test("takes settings from the environment", async () => {
    await inDirectory(async (directory) => {
      const running = await start([], { IAM_PORT: "0", IAM_DATA_DIR: directory });
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
      await running.close();
    });
  });
});

/** What is in the way of a start, and what the service says about it. */
interface Obstacle {
  readonly name: string;
  /** Prepares the directory and answers the arguments. */
  prepare(directory: string): Promise<readonly string[]>;
  /** The only line, with the directory as DIR. */
  readonly says: RegExp;
}

const obstacles: readonly Obstacle[] = [
  {
    name: "a file in place of the data directory",
    async prepare(directory) {
      await writeFile(join(directory, "data"), "");
      return [`--data-dir=${join(directory, "data")}`];
    },
    says: /^DIR\/data, IAM_DATA_DIR .+, cannot be used as the data directory: it is a file$/,
  },
  {
    name: "a file above the data directory",
    async prepare(directory) {
      await writeFile(join(directory, "file"), "");
      return [`--data-dir=${join(directory, "file/data")}`];
    },
    says: /^DIR\/file\/data, IAM_DATA_DIR \(--data-dir\), cannot be .+: ENOTDIR$/,
  },
  {
    name: "a directory in place of the log",
    async prepare(directory) {
      await mkdir(join(directory, "iam.db"));
      return [`--data-dir=${directory}`];
    },
    says: /^The event log DIR\/iam\.db cannot be opened: .+$/,
  },
  {
    name: "something else in place of the log",
    async prepare(directory) {
      await writeFile(join(directory, "iam.db"), "this is no database".repeat(100));
      return [`--data-dir=${directory}`];
    },
    says: /^The event log DIR\/iam\.db cannot be opened: file is not a database$/,
  },
  {
    name: "the log of a newer program",
    async prepare(directory) {
      const db = new Database(join(directory, "iam.db"));
      db.pragma("user_version = 999");
      db.close();
      return [`--data-dir=${directory}`];
    },
    says: /^The event log DIR\/iam\.db cannot be opened: .+ schema 999.+ program that wrote it\.$/,
  },
  {
    name: "rubbish in place of the first token",
    async prepare(directory) {
      await writeFile(join(directory, unfinishedFile), "");
      await writeFile(join(directory, "admin.token"), "iam_pat_of_nobody\n");
      return [`--data-dir=${directory}`];
    },
    says: /^DIR\/admin\.token has no valid token: remove it, then start again to get a new one\.$/,
  },
  ...["master.key", "admin.token"].map((file) => ({
    name: `a directory in place of ${file}`,
    async prepare(directory: string) {
      await writeFile(join(directory, unfinishedFile), "");
      await mkdir(join(directory, file));
      return [`--data-dir=${directory}`];
    },
    says: new RegExp(`^DIR/${file} cannot be read: EISDIR$`),
  })),
  {
    name: "no such host",
    prepare: (directory) =>
      Promise.resolve(["--host=host.invalid", `--data-dir=${join(directory, "data")}`]),
    says: /^The service cannot listen on host\.invalid:0: (no host has .+ IAM_HOST .+|E[A-Z_]+)$/,
  },
  {
    name: "no certificate",
    prepare: (directory) =>
      Promise.resolve([
        `--data-dir=${directory}`,
        `--tls-cert=${join(directory, "cert.pem")}`,
        `--tls-key=${join(directory, "key.pem")}`,
      ]),
    says: /^DIR\/cert\.pem, IAM_TLS_CERT \(--tls-cert\), cannot be read: ENOENT$/,
  },
];

describe("a start with", () => {
  test.each(obstacles)("$name is refused in one sentence", async ({ prepare, says }) => {
    await inDirectory(async (directory) => {
      const refusal = await refusalOf(["--port=0", ...(await prepare(directory))]);
      expect(refusal.replaceAll(directory, "DIR")).toMatch(says);
      expect(refusal.split("\n")).toHaveLength(1);
    });
  });

  test("its port taken is refused, and the first start is left to the next", async () => {
    await inDirectory(async (directory) => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      const args = [`--port=${port}`, `--data-dir=${directory}`];
      const refused = startProcess(args);
      expect(await refused.ended).toEqual({ code: 1, signal: null });
      expect(refused.stdout()).toBe("");
      expect(refused.stderr()).toBe(
        `The service cannot listen on 127.0.0.1:${port}: another program listens there. ` +
          "End it, or change IAM_PORT (--port).\n",
      );
      // Where a service runs there, its log would have been taken over by now.
      expect(await readdir(directory)).toEqual([]);

      await new Promise((resolve) => other.close(resolve));
      const running = await start(args);
      expect(running.url).toBe(`http://127.0.0.1:${port}`);
      expect(running.welcome).toMatch(/^This is a new instance\./);
      await running.close();
    });
  });

  test("a host name of more than one address serves on one of them", async () => {
    await inDirectory(async (directory) => {
      const running = await start(["--port=0", "--host=localhost", `--data-dir=${directory}`]);
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
      await running.close();
    });
  });
});

describe("under npm, as make run starts it, the service", () => {
  inFull("stops when npm is told to, and leaves no process behind", async () => {
    await inDirectory(async (directory) => {
      const args = ["--port=0", `--data-dir=${directory}`];
      const npm = startProcess(args, { throughNpm: true });
      await npm.listening;
      npm.kill("SIGTERM");
      // Its output ends when the last process that has it does.
      expect(await npm.ended).toEqual({ code: 0, signal: null });
      expect(npm.stderr()).toContain('"msg":"stopped"');
    });
  });

  test("finishes calls on Ctrl+C, which reaches it twice", async () => {
    await inDirectory(async (directory) => {
      const args = ["--port=0", `--data-dir=${directory}`];
      const npm = startProcess(args, { throughNpm: true });
      const port = Number(new URL(await npm.listening).port);
      const token = (await readFile(join(directory, "admin.token"), "utf8")).trim();
      const inFlight = await callInFlight({ port, authorization: `Bearer ${token}` });
      const answer = textOf(inFlight);
      npm.killGroup("SIGINT");
      inFlight.write(secondHalf);
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(await npm.ended).toEqual({ code: 0, signal: null });
      expect(npm.stderr().match(/"msg":"stopping"/g)).toHaveLength(1);
    });
  });
});
