// A restart refuses nobody where the socket waits, as systemd has it: whoever comes while no process
// serves is served by the next one.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { ConfigError } from "../../src/config/config.ts";
import { handedSocket } from "../../src/start/handed-socket.ts";
import { isFull } from "../harness/extent.ts";
import {
  endProcesses,
  inDirectory,
  repeatUntil,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { startCallers } from "./callers.ts";

afterEach(endProcesses);

describe("a socket", () => {
  test.each([
    ["that is handed to this process", { LISTEN_PID: "7", LISTEN_FDS: "1" }, 3],
    ["that is for another process", { LISTEN_PID: "8", LISTEN_FDS: "1" }, undefined],
    ["of which nobody says for whom it is", { LISTEN_FDS: "1" }, undefined],
    ["that is none", { LISTEN_PID: "7", LISTEN_FDS: "0" }, undefined],
    ["that nobody speaks of", {}, undefined],
  ])("%s", (_title, environment, descriptor) => {
    expect(handedSocket(environment, 7)).toBe(descriptor);
  });

  test.each(["2", "", "one"])("is refused where LISTEN_FDS is %j", (LISTEN_FDS) => {
    expect(() => handedSocket({ LISTEN_PID: "7", LISTEN_FDS }, 7)).toThrow(ConfigError);
  });
});

/** The service with a socket that outlives it, and is handed to each that follows. */
const startHeld = (directory: string, ...flags: readonly string[]): ServiceProcess =>
  startProcess(["--drain-ms=300", `--data-dir=${directory}`, ...flags], {
    nodeFlags: [join(import.meta.dirname, "socket-holder.ts")],
  });

/** The process that has the socket now, which is the one child of its holder. */
function servingPid({ pid }: ServiceProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
}

const started = /^listening on /gm;

if (isFull) {
  describe.each([1, 2])("a service of %i processes that is restarted under load", (processes) => {
    test("refuses nobody", async () => {
      await inDirectory(async (directory) => {
        const service = startHeld(directory, `--processes=${processes}`);
        const callers = await startCallers(await service.listening, directory, {
          ...{ http1: 24, grpc: 8, people: 0 },
        });
        for (let restarts = 1; restarts <= 3; restarts += 1) {
          await callers.more(500);
          process.kill(servingPid(service), "SIGTERM");
          const next = Promise.withResolvers<void>();
          await repeatUntil(next.promise, () => {
            const starts = service.stdout().match(started) ?? [];
            if (starts.length > restarts) next.resolve();
          });
        }
        await callers.more(500);
        await callers.stop();
        process.stdout.write(`The longest call took ${Math.round(callers.told.longestMs)} ms.\n`);
        expect(callers.told.failed).toEqual([]);
      });
    });
  });
}
