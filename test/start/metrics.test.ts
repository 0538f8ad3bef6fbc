import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { sentenceOf } from "../../src/config/sentence.ts";
import { assertPortsFree } from "../../src/start/free-ports.ts";
import { withMetricsPort } from "../../src/start/metrics-port.ts";
import { readVersion } from "../../src/start/version.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { leave, start } from "./command.ts";

afterEach(async () => {
  await leave();
  await endProcesses();
});

/** What one series of the text says. */
function valueIn(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

test("metrics are served where the configuration has a port for them, until the end", async () => {
  await inDirectory(async (directory) => {
    const flags = ["--port=0", `--data-dir=${directory}`];
    const without = await start(flags);
    expect([without.measure, without.metricsUrl]).toEqual([undefined, undefined]);
    await without.close();

    const withPort = [...flags, "--metrics-port=0"];
    const running = await withMetricsPort(await start(withPort), readConfig(withPort, {}));
    const { metricsUrl = "" } = running;
    const text = await (await fetch(metricsUrl)).text();
    expect(new URL(metricsUrl).hostname).toBe("127.0.0.1");
    expect([valueIn(text, "iam_ready"), valueIn(text, "iam_log_position")]).toEqual([
      1,
      Number(running.begun.position),
    ]);
    await running.close();
    await expect(fetch(metricsUrl)).rejects.toThrow();

    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { readonly port: number };
    const taken = [...flags, `--metrics-port=${port}`];
    const config = readConfig(taken, {});
    const refusal =
      `The port of metrics cannot listen on 127.0.0.1:${port}: another program listens there. ` +
      "End it, or change IAM_METRICS_PORT (--metrics-port).";
    expect(await assertPortsFree(config, undefined).catch(sentenceOf)).toBe(refusal);
    const { metricsAddress } = config;
    // On the other loopback address nobody listens for metrics.
    const elsewhere = { ...config, metricsAddress: metricsAddress === "::1" ? "127.0.0.1" : "::1" };
    await assertPortsFree(elsewhere, undefined);
    // Somebody may come between.
    const refused = withMetricsPort(await start(taken), config).catch(sentenceOf);
    expect(await refused).toBe(refusal);
    await new Promise((resolve) => other.close(resolve));
    // The port of the service itself.
    const twice = assertPortsFree({ ...config, port }, undefined);
    expect(await twice.catch(sentenceOf)).toBe(refusal);
    await assertPortsFree(config, undefined);
  });
});

inFull("several processes are summed, and what one has counted that is gone stays", async () => {
  await inDirectory(async (directory) => {
    const flags = ["--port=0", "--metrics-port=0", "--processes=2", `--data-dir=${directory}`];
    const service = startProcess(flags);
    const url = await service.listening;
    const [, metricsUrl = ""] = /metrics on (\S+)/.exec(service.stdout()) ?? [];
    const call = async () => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      const headers = { ...init.headers, connection: "close" };
      const path = "/iam.management.v1.ManagementService/ListProjects";
      await (await fetch(url + path, { ...init, headers })).text();
    };
    const calls = 40;
    for (let nth = 0; nth < calls; nth += 1) await call();
    const refused = 'iam_refusals_total{protocol="json",reason="UNAUTHENTICATED"}';
    const read = async () => (await fetch(metricsUrl)).text();
    const untilTold = async (is: (text: string) => boolean) => {
      let text = await read();
      while (!is(text)) text = await read();
      return text;
    };
    const { version } = await readVersion();
    const info = `iam_info{version="${version}"}`;
    const before = await untilTold((text) => valueIn(text, refused) === calls);
    expect(valueIn(before, info)).toBe(2);
    const lines = service
      .stderr()
      .trim()
      .split("\n")
      .map((one) => JSON.parse(one));
    expect(lines.filter(({ msg }) => msg === "started")).toMatchObject([
      {
        ...{ version, store: join(directory, "iam.db") },
        ...{ pid: service.pid, position: expect.stringMatching(/^\d+$/) },
        settings: {
          ...{ IAM_PORT: "0", IAM_METRICS_PORT: "0", IAM_PROCESSES: "2", IAM_DATA_DIR: directory },
        },
      },
    ]);

    const line = service
      .stderr()
      .split("\n")
      .find((one) => one.includes('"UNAUTHENTICATED"'));
    process.kill(JSON.parse(line ?? "").pid, "SIGKILL");
    await service.logged("a process has taken the place of one that ended");
    await call();
    const after = await untilTold((text) => valueIn(text, info) === 2);
    expect(valueIn(after, refused)).toBeGreaterThanOrEqual(calls);
    await untilTold((text) => valueIn(text, refused) === calls + 1);
    service.kill("SIGTERM");
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});
