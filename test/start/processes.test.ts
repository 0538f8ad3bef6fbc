import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { pino } from "pino";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { cannotListen } from "../../src/config/cannot-listen.ts";
import { readConfig } from "../../src/config/config.ts";
import { sentenceOf } from "../../src/config/sentence.ts";
import { sameWishMs } from "../../src/start/process.ts";
import {
  endsInARow,
  restartPauseMs,
  supervise,
  supervisorLimits,
} from "../../src/start/supervisor.ts";
import { unfinishedFile } from "../../src/start/unfinished.ts";
import { callInFlight, secondHalf, textOf } from "../gateway/flight.ts";
import { createClients } from "../harness/clients.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import {
  endProcesses,
  inDirectory,
  repeatUntil,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { createCertificate } from "../port/certificate.ts";

afterEach(endProcesses);

const start = (directory: string, ...flags: readonly string[]): ServiceProcess =>
  startProcess(["--port=0", "--processes=2", `--data-dir=${directory}`, ...flags]);

interface Line {
  readonly pid: number;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** The lines of its log that say so. */
function linesOf(service: ServiceProcess, msg: string): readonly Line[] {
  const lines = service
    .stderr()
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.msg === msg);
}

/** Does the step again and again until so many processes have written a line that says so. */
async function untilLogged(
  service: ServiceProcess,
  { msg, processes }: { readonly msg: string; readonly processes: number },
  step: () => void,
): Promise<readonly number[]> {
  const done = Promise.withResolvers<readonly number[]>();
  return await repeatUntil(done.promise, () => {
    const pids = new Set(linesOf(service, msg).map(({ pid }) => pid));
    if (pids.size >= processes) done.resolve([...pids]);
    else step();
  });
}

async function stop(service: ServiceProcess): Promise<void> {
  service.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
}

/** Makes calls of its own connection each, until two processes have answered some. */
function pidsThatAnswer(service: ServiceProcess, url: string): Promise<readonly number[]> {
  // What is asked when enough have answered may meet a process that is ended by then.
  const ask = () =>
    void fetch(`${url}/iam.none`, { headers: { connection: "close" } }).catch(() => {});
  return untilLogged(service, { msg: "refused", processes: 2 }, ask);
}

const replaced = "a process has taken the place of one that ended";

describe("several processes", () => {
  test("share the port and one first start, are replaced, and end in order", async () => {
    await inDirectory(async (directory) => {
      const service = start(directory);
      const url = await service.listening;
      expect(service.stdout().match(/This is a new instance/g)).toHaveLength(1);
      const pids = await pidsThatAnswer(service, url);
      expect(pids).not.toContain(service.pid);

      process.kill(pids[0]!, "SIGKILL");
      await service.logged(replaced);
      const [end] = linesOf(service, "a process has ended and is replaced");
      expect(end).toMatchObject({ process: pids[0], code: null, signal: "SIGKILL", pauseMs: 100 });
      const [{ process: pid }] = linesOf(service, replaced) as [Line];
      const token = (await readFile(join(directory, "admin.token"), "utf8")).trim();
      const authorization = `Bearer ${token}`;
      const clients = createClients(url).filter(({ name }) => /^(grpc-js|json)$/.test(name));
      for (const client of clients) {
        const request = { $typeName: "iam.management.v1.AddOrgRequest", name: client.name };
        const { addOrg } = ManagementService.method;
        expect(await client.call(addOrg, request, { authorization })).toMatchObject({ ok: true });
        client.close();
      }
      expect(await pidsThatAnswer(service, url)).toContain(pids[1]);

      const port = Number(new URL(url).port);
      const calls = [1, 2, 3, 4, 5, 6].map(() => callInFlight({ port, authorization }));
      const inFlight = await Promise.all(calls);
      // One that is stopping already is not told twice that it has no time.
      process.kill(pids[1]!, "SIGTERM");
      await sleep(sameWishMs + 100);
      service.kill("SIGTERM");
      const stopping = { msg: "stopping", processes: 3 };
      const stopped = await untilLogged(service, stopping, () => {});
      expect([...stopped].sort()).toEqual([service.pid, pids[1], pid].sort());
      const answers = inFlight.map(textOf);
      for (const [index, socket] of inFlight.entries()) {
        socket.write(secondHalf.replace("halves", `half ${index}`));
      }
      for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(await service.ended).toEqual({ code: 0, signal: null });
      expect(linesOf(service, "stopped")).toHaveLength(3);

      const log = new Database(join(directory, "iam.db"), { readonly: true });
      const count = log.prepare("SELECT count(*) FROM events WHERE type = ?").pluck();
      expect(count.get("instance.set.up")).toBe(1);
      expect(count.get("instance.key.added")).toBe(1);
      expect(count.get("org.added")).toBe(1 + 2 + 6);
      log.close();
    });
  });

  if (isFull) {
    test("read their certificate again on SIGHUP, all of them", async () => {
      await inDirectory(async (directory) => {
        const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
        const put = async (pair: ReturnType<typeof createCertificate>) => {
          await writeFile(cert, pair.cert);
          await writeFile(key, pair.key);
        };
        await put(createCertificate("first"));
        const service = start(directory, `--tls-cert=${cert}`, `--tls-key=${key}`);
        const port = Number(new URL(await service.listening).port);
        const second = createCertificate("second");
        await put(second);
        service.kill("SIGHUP");
        const renewed = { msg: "the certificate was renewed", processes: 2 };
        expect(await untilLogged(service, renewed, () => {})).not.toContain(service.pid);
        for (let connection = 0; connection < 10; connection += 1) {
          const socket = connectTls({ port, host: "127.0.0.1", ca: second.cert });
          await new Promise((resolve) => socket.once("secureConnect", resolve));
          socket.destroy();
        }
        await stop(service);
      });
    });

    test("wait longer each time before one that ends again is replaced", async () => {
      await inDirectory(async (directory) => {
        const service = start(directory);
        const url = await service.listening;
        let [pid] = await pidsThatAnswer(service, url);
        for (let ends = 1; ends <= 3; ends += 1) {
          process.kill(pid!, "SIGKILL");
          const done = Promise.withResolvers<number>();
          pid = await repeatUntil(done.promise, () => {
            const line = linesOf(service, replaced)[ends - 1];
            if (line !== undefined) done.resolve(line.process as number);
          });
        }
        const ended = linesOf(service, "a process has ended and is replaced");
        expect(ended.map(({ pauseMs }) => pauseMs)).toEqual([100, 200, 400]);
        await stop(service);
      });
    });

    test("end when the one that started them is killed", async () => {
      await inDirectory(async (directory) => {
        const service = start(directory);
        await service.listening;
        service.kill("SIGKILL");
        // Its output ends when the last process that has it does.
        expect(await service.ended).toEqual({ code: null, signal: "SIGKILL" });
        expect(linesOf(service, "stopped")).toHaveLength(2);
      });
    });

    test("end at once when they are told so twice", async () => {
      await inDirectory(async (directory) => {
        const service = start(directory, "--stop-grace-ms=600000");
        const port = Number(new URL(await service.listening).port);
        const token = (await readFile(join(directory, "admin.token"), "utf8")).trim();
        const inFlight = await callInFlight({ port, authorization: `Bearer ${token}` });
        const ended = await repeatUntil(service.ended, () => service.kill("SIGTERM"));
        expect(ended).toEqual({ code: 1, signal: null });
        inFlight.destroy();
      });
    });

    test(
      "are ended by force when they do not end by themselves",
      () =>
        inDirectory(async (directory) => {
          const service = start(directory, "--stop-grace-ms=0");
          const [pid] = await pidsThatAnswer(service, await service.listening);
          process.kill(pid!, "SIGSTOP");
          await stop(service);
          expect(linesOf(service, "stopped").map((line) => line.pid)).not.toContain(pid);
        }),
      4 * supervisorLimits.stopMarginMs,
    );

    test("do not start where the first of them does not, and say why once", async () => {
      await inDirectory(async (directory) => {
        await writeFile(join(directory, unfinishedFile), "");
        await writeFile(join(directory, "admin.token"), "iam_pat_of_nobody\n", { mode: 0o600 });
        const service = start(directory);
        expect(await service.ended).toEqual({ code: 1, signal: null });
        expect([service.stdout(), service.stderr()]).toEqual([
          "",
          `${join(directory, "admin.token")} has no valid token: remove it, then start ` +
            "again to get a new one.\n",
        ]);
      });
    });
  }
});

describe("a start with several processes is refused", () => {
  test("where the port is taken, before anything is made", async () => {
    await inDirectory(async (directory) => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as { port: number };
      const flags = [`--port=${port}`, "--processes=2", `--data-dir=${join(directory, "data")}`];
      const started = supervise(readConfig(flags, {}), flags, pino({ level: "silent" }));
      expect(await started.catch(sentenceOf)).toBe(
        `The service cannot listen on 127.0.0.1:${port}: another program listens there. ` +
          "End it, or change IAM_PORT (--port).",
      );
      await new Promise((resolve) => other.close(resolve));
    });
  });

  test("where the system lets no two share a port", () => {
    const unsupported = Object.assign(new Error("listen ENOTSUP"), { code: "ENOTSUP" });
    expect(cannotListen({ host: "127.0.0.1", port: 8080 }, unsupported).message).toBe(
      "The service cannot listen on 127.0.0.1:8080: processes cannot share a port here. " +
        "Set IAM_PROCESSES (--processes) to 1.",
    );
  });

  inFull("by a program that runs on such a system", async () => {
    await inDirectory(async (directory) => {
      const patch = `import { Server } from "node:net";
        const { listen } = Server.prototype;
        Server.prototype.listen = function (options, ...rest) {
          if (!options.reusePort) return listen.call(this, options, ...rest);
          const error = Object.assign(new Error("no"), { code: "ENOTSUP" });
          process.nextTick(() => this.emit("error", error));
          return this;
        };`;
      const nodeFlags = [`--import=data:text/javascript,${encodeURIComponent(patch)}`];
      const args = ["--port=0", "--processes=2", `--data-dir=${directory}`];
      const service = startProcess(args, { nodeFlags });
      expect(await service.ended).toEqual({ code: 1, signal: null });
      expect(service.stderr()).toContain("processes cannot share a port here");
    });
  });
});

describe("a process that ends", () => {
  const { steadyMs } = supervisorLimits;

  test.each([
    { before: 0, ranMs: 0, ends: 1 },
    { before: 4, ranMs: steadyMs - 1, ends: 5 },
    { before: 4, ranMs: steadyMs, ends: 1 },
  ])("after $ranMs ms, as did $before before it, makes $ends in a row", (row) => {
    expect(endsInARow(row.before, row.ranMs)).toBe(row.ends);
  });
});

describe("the pause before a process that ended is replaced", () => {
  const { restartMinMs, restartMaxMs } = supervisorLimits;

  test.each([
    { ends: 1, ms: restartMinMs },
    { ends: 2, ms: 200 },
    { ends: 9, ms: 25_600 },
    { ends: 10, ms: restartMaxMs },
    { ends: 5_000, ms: restartMaxMs },
  ])("after $ends ends in a row is $ms ms", ({ ends, ms }) => {
    expect(restartPauseMs(ends)).toBe(ms);
  });
});
