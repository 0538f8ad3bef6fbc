import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { createToken, hashSecret } from "../../src/secrets/tokens.ts";
import { setUp } from "../../src/start/first-start.ts";
import type { Running } from "../../src/start/serve.ts";
import { unfinishedFile } from "../../src/start/unfinished.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import {
  endProcesses,
  inDirectory,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { startServer } from "../harness/server.ts";
import { start as startInProcess } from "./command.ts";

afterEach(endProcesses);

const run = promisify(execFile);

const flags = (dataDir: string) => ["--port=0", `--data-dir=${dataDir}`];
const start = (dataDir: string): ServiceProcess => startProcess(flags(dataDir));
const startHere = (dataDir: string): Promise<Running> => startInProcess(flags(dataDir));

async function stop(service: ServiceProcess): Promise<void> {
  service.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
}

async function tokenIn(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
}

/** The project that the text of the first start speaks of. */
function projectIn(text: string): string {
  return /\/projects\/([\w-]+)\/apps\/oidc/.exec(text)?.[1] ?? "none";
}

/** Creates an application as the first user; its id, or undefined where the service is gone. */
async function createApp(
  url: string,
  { project, token, name }: { readonly [part in "project" | "token" | "name"]: string },
): Promise<string | undefined> {
  const response = await fetch(`${url}/management/v1/projects/${project}/apps/api`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  }).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  return (answer as { readonly appId?: string } | undefined)?.appId;
}

describe("the first start", () => {
  test("keeps its files to their owner and says how to call; the second is silent", async () => {
    await inDirectory(async (directory) => {
      // A name that a shell would take apart.
      const dataDir = join(directory, "it's $HOME; data");
      const first = start(dataDir);
      const url = await first.listening;
      const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
      expect(await modeOf(dataDir)).toBe(0o700);
      const files = (await readdir(dataDir)).sort();
      expect(files).toEqual([
        "admin.token",
        "iam.db",
        "iam.db-shm",
        "iam.db-wal",
        "iam.head",
        "iam.head.lock",
        "master.key",
        "owner.link",
      ]);
      for (const file of files) expect(await modeOf(join(dataDir, file))).toBe(0o600);

      const said = first.stdout();
      const [before, call = "", after] = said.split("\n\n");
      for (const name of ["admin.token", "owner.link"]) {
        expect(before).toContain(join(dataDir, name));
      }
      const issuer = url.replace("127.0.0.1", "localhost");
      expect(after).toBe(`listening on ${url}\nOpenID Connect issuer: ${issuer}\n`);
      expect(said + first.stderr()).not.toContain(await tokenIn(dataDir));

      const { stdout } = await run("bash", ["-c", `${call.trim()} --silent`]);
      expect(JSON.parse(stdout)).toEqual({
        appId: expect.any(String),
        clientId: expect.any(String),
        clientSecret: expect.stringMatching(/^[\w-]{43}$/),
        details: {
          sequence: expect.stringMatching(/^\d+$/),
          creationDate: expect.any(String),
          changeDate: expect.any(String),
          resourceOwner: expect.any(String),
        },
        noneCompliant: false,
      });
      await stop(first);

      const second = await startHere(dataDir);
      expect(second.welcome).toBeUndefined();
      const project = projectIn(said);
      const token = await tokenIn(dataDir);
      expect(await createApp(second.url, { project, token, name: "second" })).toBeDefined();
      await second.close();
    });
  });

  test("takes the token that a start before left when it crashed", async () => {
    await inDirectory(async (directory) => {
      const token = createToken((size) => Buffer.alloc(size, 7));
      await writeFile(join(directory, unfinishedFile), "");
      await writeFile(join(directory, "admin.token"), `${token}\n`, { mode: 0o600 });
      const { url, welcome = "", close } = await startHere(directory);
      const project = projectIn(welcome);
      expect(await createApp(url, { project, token, name: "after the crash" })).toBeDefined();
      expect(await tokenIn(directory)).toBe(token);
      await close();
    });
  });

  inFull("of two processes at once is one, and its token works on both", async () => {
    await inDirectory(async (directory) => {
      const dataDir = join(directory, "deep/data");
      const both = [start(dataDir), start(dataDir)];
      const urls = await Promise.all(both.map(({ listening }) => listening));
      const token = await tokenIn(dataDir);
      const projects = both
        .map((service) => projectIn(service.stdout()))
        .filter((project) => project !== "none");
      expect(projects).toHaveLength(1);
      const [project = ""] = projects;
      for (const [index, url] of urls.entries()) {
        expect(await createApp(url, { project, token, name: `of ${index}` })).toBeDefined();
      }
      await Promise.all(both.map(stop));

      const log = new Database(join(dataDir, "iam.db"), { readonly: true });
      const types = log.prepare("SELECT type FROM events WHERE stream LIKE 'instance%'").pluck();
      // Either process may be the first with its link or its key.
      expect(types.all().toSorted()).toEqual([
        ...["instance.key.added", "instance.owner.link.added", "instance.set.up"],
      ]);
      const payloads = log.prepare("SELECT payload FROM events").pluck().all().join("\n");
      expect(payloads).toContain(hashSecret(token));
      expect(payloads).not.toContain(token);
      log.close();
    });
  });
});

test("who comes second sets up nothing, and so has no project to speak of", async () => {
  const { execute, dataDir, head, close } = await startServer();
  const before = await head();
  const second = { execute, dataDir, newId: () => "second", random: randomBytes };
  expect(await setUp(second)).toBeUndefined();
  expect(await head()).toBe(before);
  expect((await readdir(dataDir)).filter((name) => name.startsWith("admin"))).toEqual([
    "admin.token",
  ]);
  await close();
});

describe("kill -9 under load", () => {
  test("loses nothing that was acknowledged, and leaves no gap", async () => {
    await inDirectory(async (directory) => {
      const dataDir = join(directory, "data");
      await mkdir(dataDir, { mode: 0o700 });
      const service = start(dataDir);
      const url = await service.listening;
      const project = projectIn(service.stdout());
      const token = await tokenIn(dataDir);

      const acknowledged: string[] = [];
      const killAfter = isFull ? 60 : 20;
      const client = async (id: number) => {
        for (let count = 0; ; count += 1) {
          const appId = await createApp(url, { project, token, name: `${id} ${count}` });
          if (appId === undefined) return;
          acknowledged.push(appId);
          if (acknowledged.length === killAfter) service.kill("SIGKILL");
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_none, id) => client(id)));
      expect(await service.ended).toEqual({ code: null, signal: "SIGKILL" });
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);

      const again = await startHere(dataDir);
      const next = await createApp(again.url, { project, token, name: "after the crash" });
      await again.close();
      const log = new Database(join(dataDir, "iam.db"), { readonly: true });
      const streams = log
        .prepare("SELECT stream FROM events WHERE type = 'project.application.added'")
        .pluck()
        .all() as string[];
      const ids = streams.map((stream) => stream.slice(stream.indexOf("-") + 1));
      for (const appId of [...acknowledged, next]) expect(ids).toContain(appId);
      const positions = log.prepare("SELECT position FROM events ORDER BY position").pluck().all();
      expect(positions).toEqual(positions.map((_position, index) => index + 1));
      const objects = log.prepare("SELECT stream FROM objects").pluck().all();
      expect(objects).toEqual(expect.arrayContaining(streams));
      expect(log.pragma("integrity_check", { simple: true })).toBe("ok");
      log.close();
    });
  });
});
