// Nodes are started again one after the other, and nobody who calls by a balancer sees it.

import { afterEach, describe, expect, test } from "@jest/globals";
import { isFull } from "../harness/extent.ts";
import { freePort } from "../harness/port.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { startCallers } from "./callers.ts";
import { findHaproxy, startHaproxy } from "./haproxy.ts";

afterEach(endProcesses);

/** Where it is not installed, the tests count as skipped, and `test/runner/missing.ts` says so. */
const describeWithHaproxy = findHaproxy() !== undefined && isFull ? describe : describe.skip;

describeWithHaproxy("two nodes behind HAProxy, of which each is started again under load", () => {
  test("fail no call over HTTP/1.1 and gRPC, and no login", async () => {
    await inDirectory(async (directory) => {
      const [port, ...nodes] = await Promise.all([freePort(), freePort(), freePort()]);
      const url = `http://127.0.0.1:${port}`;
      const start = (node: number) =>
        startProcess([`--port=${node}`, `--data-dir=${directory}`, `--public-url=${url}`], {
          env: { IAM_DRAIN_MS: "1000" },
        });
      const services = [];
      for (const node of nodes) {
        const service = start(node);
        await service.listening;
        services.push(service);
      }
      const balancer = await startHaproxy({ directory, port, nodes });
      const callers = await startCallers(url, directory, { http1: 16, grpc: 14, people: 2 });
      for (const [index, node] of nodes.entries()) {
        await callers.more(1_500);
        services[index]!.kill("SIGTERM");
        expect(await services[index]!.ended).toEqual({ code: 0, signal: null });
        services[index] = start(node);
        await services[index]!.listening;
        await callers.more(500);
      }
      await callers.more(1_000);
      await callers.stop();
      const { calls, logins, failed } = callers.told;
      process.stdout.write(`${calls} calls, ${logins} logins, ${failed.length} failed.\n`);
      expect(failed).toEqual([]);
      expect(logins).toBeGreaterThan(0);
      await balancer.close();
    });
  });
});
