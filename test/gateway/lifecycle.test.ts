import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { sameWishMs } from "../../src/start/process.ts";
import { shortened } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import {
  endProcesses,
  inDirectory,
  repeatUntil,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import {
  type Access,
  callInFlight,
  callPath,
  connected,
  firstHalf,
  get,
  secondHalf,
  textOf,
} from "./flight.ts";
import { frameType, openFrames } from "./frames.ts";

afterEach(endProcesses);

async function accessOf(
  service: ServiceProcess,
  directory: string,
): Promise<Access & { readonly url: string }> {
  const url = await service.listening;
  const token = await readFile(join(directory, "admin.token"), "utf8");
  return { url, port: Number(new URL(url).port), authorization: `Bearer ${token.trim()}` };
}

describe.each(shortened(["SIGTERM", "SIGINT"] as const))("the process on %s", (signal) => {
  test("finishes what is in flight, refuses what is new, and ends", async () => {
    await inDirectory(async (directory) => {
      const service = startProcess(["--port=0", `--data-dir=${directory}`]);
      const access = await accessOf(service, directory);
      const { url, port, authorization } = access;

      const silent = await connected(port);
      const idle = await connected(port);
      const answered = once(idle, "data");
      idle.write(get);
      await answered;
      const idleHttp2 = await openFrames(port);
      await idleHttp2.until(({ type }) => type === frameType.settings);
      const session = connectHttp2(url);
      const stream = session.request({
        ":path": callPath,
        ":method": "POST",
        "content-type": "application/json",
        authorization,
        expect: "100-continue",
      });
      const begun = once(stream, "continue");
      stream.write(firstHalf);
      await begun;
      const inFlight = await callInFlight(access);

      const gone = [silent, idle].map((socket) => once(socket, "close"));
      const goAway = once(session, "goaway");
      const sessionClosed = once(session, "close");
      service.kill(signal);
      await Promise.all(gone);
      expect((await goAway)[0]).toBe(0);
      expect((await idleHttp2.ended).map(({ type }) => type)).toContain(frameType.goAway);

      const response = once(stream, "response");
      stream.end('another way"}');
      expect((await response)[0]).toMatchObject({ ":status": 200 });
      stream.resume();
      await sessionClosed;

      const answers = textOf(inFlight);
      inFlight.write(secondHalf + get);
      const [, first, second] = (await answers).split("HTTP/1.1 ");
      expect(first).toMatch(/^200 .*"id":/s);
      expect(second).toMatch(/^503 .*connection: close.*SHUTTING_DOWN/is);

      expect(await service.ended).toEqual({ code: 0, signal: null });
      expect(service.stderr().trim().split("\n").at(-1)).toContain('"msg":"stopped"');
      expect((await readdir(directory)).sort()).toEqual([
        "admin.token",
        "iam.db",
        "iam.head",
        "iam.head.lock",
        "master.key",
        "owner.link",
      ]);
      const log = new Database(join(directory, "iam.db"), { readonly: true });
      expect(log.pragma("integrity_check", { simple: true })).toBe("ok");
      log.close();
    });
  });
});

describe.each([1, 2])("a drain of a service of %i processes", (processes) => {
  test("is not ready, goes on with calls, and ends with a further signal", async () => {
    await inDirectory(async (directory) => {
      const flags = ["--port=0", `--data-dir=${directory}`, "--drain-ms=600000"];
      const service = startProcess([...flags, `--processes=${processes}`]);
      const { url, authorization } = await accessOf(service, directory);
      service.kill("SIGTERM");
      // Each connection may be one of another process.
      const askAll = () => Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => fetch(`${url}/readyz`)));
      while (!(await askAll()).every(({ status }) => status === 503)) await sleep(50);
      const answer = await fetch(`${url}/management/v1/orgs`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: '{"name": "while it drains"}',
      });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { id: expect.any(String), details: expect.any(Object) },
      ]);
      await sleep(sameWishMs + 100);
      service.kill("SIGTERM");
      expect(await service.ended).toEqual({ code: 0, signal: null });
    });
  });
});

test("processes end their drain with a further signal, also where both come late", async () => {
  await inDirectory(async (directory) => {
    const flags = ["--port=0", `--data-dir=${directory}`, "--drain-ms=600000", "--processes=2"];
    const service = startProcess([...flags, "--stop-grace-ms=600000"]);
    await service.listening;
    service.killGroup("SIGSTOP");
    // The one that started the others goes on alone.
    for (const sent of ["SIGCONT", "SIGTERM"] as const) service.kill(sent);
    await service.logged('"msg":"stopping"');
    await sleep(sameWishMs + 100);
    service.kill("SIGTERM");
    service.killGroup("SIGCONT");
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});

describe("the process", () => {
  inFull("cuts off a call that never ends", async () => {
    await inDirectory(async (directory) => {
      const flags = ["--port=0", `--data-dir=${directory}`, "--stop-grace-ms=100"];
      const service = startProcess(flags);
      const access = await accessOf(service, directory);
      const inFlight = await callInFlight(access);
      const cut = once(inFlight, "close");
      service.kill("SIGTERM");
      await cut;
      expect(await service.ended).toEqual({ code: 0, signal: null });
    });
  });

  test("takes two signals at once for one, and ends at once for a later one", async () => {
    await inDirectory(async (directory) => {
      const flags = ["--port=0", `--data-dir=${directory}`, "--stop-grace-ms=600000"];
      const service = startProcess(flags);
      const access = await accessOf(service, directory);
      const [first, second] = [await callInFlight(access), await callInFlight(access)];
      // Both wait when it goes on, however long this process took to send them.
      for (const sent of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) service.kill(sent);
      const answer = textOf(first);
      first.write(secondHalf);
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /);

      const cut = once(second, "close");
      const ended = await repeatUntil(service.ended, () => service.kill("SIGTERM"));
      expect(ended).toEqual({ code: 1, signal: null });
      await cut;
    });
  });

  test.each(shortened(['Promise.reject(new Error("planted"))', 'throw new Error("planted")']))(
    "logs a defect whole and ends: %s",
    async (defect) => {
      await inDirectory(async (directory) => {
        const hook = `process.on("SIGUSR2", () => { ${defect} })`;
        const service = startProcess(["--port=0", `--data-dir=${directory}`], {
          nodeFlags: [`--import=data:text/javascript,${encodeURIComponent(hook)}`],
        });
        await service.listening;
        service.kill("SIGUSR2");
        expect(await service.ended).toEqual({ code: 1, signal: null });
        const last: unknown = JSON.parse(service.stderr().trim().split("\n").at(-1)!);
        expect(last).toMatchObject({
          level: 60,
          err: { type: "Error", message: "planted", stack: expect.stringContaining("at ") },
        });
      });
    },
  );
});
