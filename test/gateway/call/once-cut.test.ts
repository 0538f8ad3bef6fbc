import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { hashSecret } from "../../../src/secrets/tokens.ts";
import { isFull } from "../../harness/extent.ts";
import { inFull } from "../../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../../harness/process.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { createRandom, type Random } from "../native/random.ts";

/** Answers that never arrive, or in part: the same call again finds out what it came to. */

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  await endProcesses();
});

const seed = Date.now() % 1_000_000;
const inFlight = 8;

/** Where applications are made; the port changes when the service starts anew. */
interface Target {
  readonly port: () => number;
  readonly token: string;
  readonly project: string;
  /** Bytes of an answer that are read at most, until one is to be read whole. */
  readonly readBytes: () => number;
}

/** Sends one call with its key; undefined where no whole answer was read. */
function tryOnce(
  target: Target,
  name: string,
): Promise<{ status: number; body: string } | undefined> {
  const { port, token, project, readBytes } = target;
  const body = JSON.stringify({ name, authMethodType: "API_AUTH_METHOD_TYPE_BASIC" });
  const head = [
    `POST /management/v1/projects/${project}/apps/api HTTP/1.1`,
    "host: localhost",
    "connection: close",
    "content-type: application/json",
    `content-length: ${body.length}`,
    `authorization: Bearer ${token}`,
    `idempotency-key: of-${name}`,
  ];
  const bytesMax = readBytes();
  return new Promise((resolve) => {
    let read = "";
    const socket = connect({ port: port(), host: "127.0.0.1" });
    socket.on("error", () => {});
    socket.on("connect", () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
      // The request is there as a whole, and nobody waits for its answer.
      if (bytesMax === 0) socket.end(() => setImmediate(() => socket.destroy()));
    });
    socket.setEncoding("latin1").on("data", (text: string) => {
      read += text;
      if (read.length >= bytesMax) socket.destroy();
    });
    socket.on("close", () => {
      const [, status, length, answer] =
        /^HTTP\/1.1 (\d+) .*?content-length: (\d+)\r\n.*?\r\n\r\n(.*)$/s.exec(read) ?? [];
      const isWhole = length !== undefined && answer?.length === Number(length);
      resolve(isWhole ? { status: Number(status), body: answer } : undefined);
    });
  });
}

/** Sends the call again and again until its answer is there; answers the client secret. */
async function make(target: Target, name: string, failed: AbortSignal): Promise<string> {
  for (;;) {
    failed.throwIfAborted();
    const answer = await tryOnce(target, name);
    if (answer?.status === 200) return JSON.parse(answer.body).clientSecret;
    // One that stops says so, and one that has been killed says nothing.
    if (answer !== undefined) expect(answer).toMatchObject({ status: 503 });
    await pause(1);
  }
}

/** Makes applications, several at a time, and answers their secrets by their names. */
async function makeAll(target: Target, names: readonly string[]): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const queue = names.values();
  const failing = new AbortController();
  const worker = async () => {
    for (const name of queue) secrets.set(name, await make(target, name, failing.signal));
  };
  const fail = (error: unknown) => failing.abort(error);
  await Promise.all(Array.from({ length: inFlight }, () => worker().catch(fail)));
  failing.signal.throwIfAborted();
  return secrets;
}

/** Fails unless each application was made once, and its secret is the one that was answered. */
function expectOneOfEach(dataDir: string, secrets: ReadonlyMap<string, string>): void {
  const db = new Database(join(dataDir, "iam.db"), { readonly: true });
  const sql = `SELECT added.payload->>'name', config.payload->>'clientSecretHash'
    FROM events added JOIN events config USING (stream)
    WHERE added.type = 'project.application.added'
      AND config.type = 'project.application.config.api.added' ORDER BY 1`;
  const made = db.prepare(sql).raw().all();
  db.close();
  const answered = [...secrets].map(([name, secret]) => [name, hashSecret(secret)]);
  expect(made).toEqual(answered.toSorted());
}

/** Bytes that are read: none, some, or, once in a while, all. */
function cutting(random: Random): () => number {
  return () => random.pick([0, 1, random.below(700), Infinity]);
}

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `app-${i}`);

describe(`answers that are cut off (seed ${seed})`, () => {
  test("are those of what was made once, with its secret", async () => {
    server = await startServer();
    const { port, project, dataDir, admin } = server;
    const readBytes = cutting(createRandom(seed));
    const target = { port: () => port, token: admin.token, project, readBytes };
    expectOneOfEach(dataDir, await makeAll(target, namesOf(isFull ? 1_000 : 16)));
  });

  inFull("are so where the process is killed meanwhile", async () => {
    await inDirectory(async (dataDir) => {
      const random = createRandom(seed);
      const start = async () => {
        const service = startProcess(["--port=0", `--data-dir=${dataDir}`]);
        return { service, port: Number(new URL(await service.listening).port) };
      };
      let running = await start();
      const [, project = ""] = /projects\/([\da-f-]+)\/apps/.exec(running.service.stdout()) ?? [];
      const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
      const readBytes = cutting(random);
      const target = { port: () => running.port, token, project, readBytes };
      let isMade = false;
      const making = makeAll(target, namesOf(2_000)).finally(() => {
        isMade = true;
      });
      let kills = 0;
      while (kills < 5 && !isMade) {
        await pause(50 + random.below(300));
        running.service.kill("SIGKILL");
        await running.service.ended;
        running = await start();
        kills += 1;
      }
      const secrets = await making;
      expect(kills).toBe(5);
      running.service.kill("SIGTERM");
      await running.service.ended;
      expectOneOfEach(dataDir, secrets);
    });
  });
});
