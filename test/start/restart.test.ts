// The service is started again while it is called, and nobody who calls sees it: behind a balancer
// another node takes the calls, and where the socket waits, the next process does.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../harness/port.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import {
  endProcesses,
  inDirectory,
  repeatUntil,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { type Callers, startCallers } from "./callers.ts";
import { inDatabasePlace } from "./database-place.ts";
import { type Balancer, findHaproxy, startHaproxy } from "./haproxy.ts";

const balancers: Balancer[] = [];

afterEach(async () => {
  await Promise.all(balancers.splice(0).map((balancer) => balancer.close()));
  await endProcesses();
});

/** Lets callers end, of whom none may have been refused anything. */
async function endWell(callers: Callers): Promise<void> {
  await callers.stop();
  const { calls, logins, failed, longestMs } = callers.told;
  const longest = `the longest took ${Math.round(longestMs)} ms`;
  process.stdout.write(`${calls} calls, ${logins} logins, ${failed.length} failed; ${longest}.\n`);
  expect(failed).toEqual([]);
}

/** Two nodes of one log: the directory of each, and what settings both have. */
interface Nodes {
  readonly directories: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

/** Where they have it. What is not installed is skipped; `test/runner/missing.ts` says so. */
const logs = [
  {
    where: "in one directory",
    isThere: true,
    inPlace: (body: (nodes: Nodes) => Promise<void>) =>
      inDirectory((directory) => body({ directories: [directory, directory] })),
  },
  {
    where: "on one PostgreSQL",
    isThere: findPostgres() !== undefined,
    inPlace: (body: (nodes: Nodes) => Promise<void>) =>
      inDatabasePlace(({ node, environment }) =>
        body({ directories: [node("one"), node("two")], env: environment }),
      ),
  },
];

describe.each(logs)("two nodes $where behind HAProxy", ({ isThere, inPlace }) => {
  const testBehind = isThere && findHaproxy() !== undefined ? test : test.skip;

  testBehind(
    "fail no call over HTTP/1.1 and gRPC, and no login, while each starts again",
    async () => {
      await inPlace(startEachAgain);
    },
  );
});

async function startEachAgain({ directories, env = {} }: Nodes): Promise<void> {
  const [port, ...ports] = await Promise.all([freePort(), freePort(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const start = async (index: number) => {
    const where = [`--port=${ports[index]}`, `--data-dir=${directories[index]}`];
    const service = startProcess([...where, `--public-url=${url}`, "--drain-ms=3000"], { env });
    await service.listening;
    return service;
  };
  const services = [await start(0), await start(1)];
  const [directory = ""] = directories;
  balancers.push(await startHaproxy({ directory, port, nodes: ports }));
  const callers = await startCallers(url, directory, { http1: 16, grpc: 14, people: 2 });
  for (const [index, service] of services.entries()) {
    await callers.more(1_500);
    service.kill("SIGTERM");
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await start(index);
    await callers.more(500);
  }
  await callers.more(1_000);
  await endWell(callers);
  expect(callers.told.logins).toBeGreaterThan(0);
}

/** The process that has the socket now, which is the one child of its holder. */
function servingPid({ pid }: ServiceProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
}

/** Resolves when the holder has started the service so many times. */
async function startedTimes(holder: ServiceProcess, times: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await repeatUntil(promise, () => {
    const starts = holder.stdout().match(/^listening on /gm) ?? [];
    if (starts.length >= times) resolve();
  });
}

test("a socket that is handed over and is none of TCP is refused", async () => {
  await inDirectory(async (directory) => {
    const local = createServer().listen(join(directory, "socket"));
    await once(local, "listening");
    const { fd } = Reflect.get(local, "_handle") as { readonly fd: number };
    const service = [process.execPath, "src/main.js", `--data-dir=${join(directory, "data")}`];
    const child = spawn(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", ...service],
      {
        stdio: ["ignore", "ignore", "pipe", fd],
      },
    );
    const said = await text(child.stderr!);
    expect(said).toContain("LISTEN_FDS hands over must be a TCP socket that listens: EPROTOTYPE");
    local.close();
  });
});

describe.each([1, 2])("a service of %i processes, whose socket outlives it", (processes) => {
  test("refuses nobody while it is started again", async () => {
    await inDirectory(async (directory) => {
      const flags = ["--drain-ms=300", `--data-dir=${directory}`, `--processes=${processes}`];
      const nodeFlags = [join(import.meta.dirname, "socket-holder.ts")];
      const holder = startProcess(flags, { nodeFlags });
      const url = await holder.listening;
      const callers = await startCallers(url, directory, { http1: 24, grpc: 8, people: 0 });
      for (const starts of [2, 3, 4]) {
        await callers.more(500);
        process.kill(servingPid(holder), "SIGTERM");
        await startedTimes(holder, starts);
      }
      await callers.more(500);
      await endWell(callers);
    });
  });
});
