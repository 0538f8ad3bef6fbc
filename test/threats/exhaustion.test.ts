// Nobody without a token takes the memory of the service: in full, 400 connections with 100 health
// watches each, and as many calls whose bodies never come, against a process with 256 MB of heap.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { defaultLimits } from "../../src/gateway/call/limits.ts";
import { isFull, shortened } from "../harness/extent.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";

const [connections, streams] = isFull ? [400, 100] : [10, 20];
const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await endProcesses();
});

const callers = {
  "health watches": { path: "/grpc.health.v1.Health/Watch", isWhole: true },
  "half-sent calls": { path: "/iam.account.v1.AccountService/VerifyPhone", isWhole: false },
  "unread refusals": {
    ...{ path: "/iam.management.v1.ManagementService/AddProject", type: "application/json" },
    ...{ isWhole: true, isRead: false },
  },
};

interface Caller {
  readonly path: string;
  readonly type?: string;
  readonly isWhole: boolean;
  readonly isRead?: boolean;
}

/** Opens all streams of one connection, and counts what they are told. */
async function crowd(url: string, { path, type, isWhole, isRead = true }: Caller) {
  const settings = isRead ? {} : { initialWindowSize: 0 };
  const session = connect(url, { settings }).on("error", () => {});
  sessions.push(session);
  await once(session, "remoteSettings");
  const told = { held: 0, refused: 0 };
  const each = Array.from({ length: streams }, () => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": type ?? "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => {});
    if (isWhole) stream.end(Buffer.alloc(5));
    return new Promise<void>((resolve) => {
      stream.on("data", () => {
        told.held += 1;
        resolve();
      });
      stream.on("trailers", () => {
        told.refused += 1;
        resolve();
      });
      stream.on("response", () => {
        if (isRead) return;
        told.held += 1;
        stream.once("close", () => {
          told.held -= 1;
        });
        resolve();
      });
      stream.on("close", () => resolve());
      // A call whose body is awaited is told nothing.
      if (!isWhole) session.ping(() => session.ping(() => resolve()));
    });
  });
  await Promise.all(each);
  return told;
}

test.each<[string, Caller]>(shortened(Object.entries(callers)))(
  "%s of strangers are held within bounds",
  (_, { isWhole, isRead = true, ...caller }) =>
    inDirectory(async (directory) => {
      const args = ["serve", "--port", "0", "--data-dir", directory, "--log-level", "fatal"];
      const service = startProcess(args, { nodeFlags: ["--max-old-space-size=256"] });
      const url = await service.listening;
      const token = (await readFile(`${directory}/admin.token`, "utf8")).trim();
      const told: { readonly held: number; readonly refused: number }[] = [];
      for (let count = 0; count < connections; count += 1)
        told.push(await crowd(url, { ...caller, isWhole, isRead }));
      const sum = (which: "held" | "refused") => told.reduce((all, one) => all + one[which], 0);
      const answer = await fetch(`${url}/management/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "honest" }),
      });
      expect(answer.status).toBe(200);
      const status = await readFile(`/proc/${service.pid}/status`, "utf8");
      const residentMiB = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
      if (isFull) {
        const [held, refused] = [sum("held"), sum("refused")];
        process.stdout.write(`held ${held}, refused ${refused}, ${Math.round(residentMiB)} MiB\n`);
      }
      const all = connections * streams;
      if (!isRead) {
        while (sum("held") > defaultLimits.openCallsMax) await pause(10);
        expect(sum("held")).toBe(Math.min(all, defaultLimits.openCallsMax));
      } else if (isWhole) {
        expect(sum("held")).toBe(Math.min(all, defaultLimits.openStreamsMax));
        expect(sum("refused")).toBe(all - sum("held"));
      }
      expect(residentMiB).toBeLessThan(512);
    }),
  300_000,
);
