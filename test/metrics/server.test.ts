import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import { type MetricLimits, metricLimits } from "../../src/metrics/limits.ts";
import { createRegistry } from "../../src/metrics/registry.ts";
import { type MetricsPort, serveMetrics } from "../../src/metrics/server.ts";
import { leave } from "../start/command.ts";

let served: MetricsPort | undefined;

afterEach(async () => {
  await leave();
  await served?.close();
});

/** Serves a counter that says how often it was read. */
async function serveReads(limits: Partial<MetricLimits> = {}, host = "127.0.0.1"): Promise<string> {
  const usual = { help: "Reads", labels: [], seriesMax: 1, bounds: [], of: "sum" } as const;
  const { reads } = createRegistry({ reads: { ...usual, name: "reads_total", type: "counter" } });
  const read = async () => {
    reads.add(reads.series());
    return [reads.read()];
  };
  served = await serveMetrics({ host, port: 0 }, read, { ...metricLimits, ...limits });
  return served.url;
}

const textAt = async (url: string) => (await fetch(url)).text();

test("metrics are at one path alone, as text that Prometheus knows", async () => {
  const url = await serveReads();
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect(await answer.text()).toContain("\nreads_total 1\n");
  for (const [path, init] of [
    ["/", {}],
    ["/metrics/", {}],
    ["/metrics", { method: "POST" }],
  ] as const) {
    const other = await fetch(new URL(path, url), init);
    expect([path, other.status, await other.text()]).toEqual([path, 404, ""]);
  }
});

test("on this machine metrics have its names alone, and elsewhere any", async () => {
  let port = new URL(await serveReads()).port;
  const by = async (name: string) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET /metrics HTTP/1.1\r\nhost: ${name}\r\nconnection: close\r\n\r\n`);
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(await text(socket.setEncoding("utf8"))) ?? [];
    return [name, status];
  };
  for (const name of ["localhost", `LOCALHOST:${port}`, "127.0.0.1:1", `[::1]:${port}`]) {
    expect(await by(name)).toEqual([name, "200"]);
  }
  for (const name of [
    "iam.example.com",
    "localhost.example.com",
    `127.0.0.1.example:${port}`,
    "",
  ]) {
    expect(await by(name)).toEqual([name, "421"]);
  }
  await served?.close();
  port = new URL(await serveReads({}, "0.0.0.0")).port;
  expect(await by("iam.example.com")).toEqual(["iam.example.com", "200"]);
});

test("all who ask within keptMs get the same text", async () => {
  const kept = await serveReads({ keptMs: 600_000 });
  expect(await Promise.all([textAt(kept), textAt(kept)])).toEqual([
    expect.stringContaining("reads_total 1\n"),
    expect.stringContaining("reads_total 1\n"),
  ]);
  await served?.close();
  const fresh = await serveReads({ keptMs: 0 });
  expect([await textAt(fresh), await textAt(fresh)]).toEqual([
    expect.stringContaining("reads_total 1\n"),
    expect.stringContaining("reads_total 2\n"),
  ]);
});

/** Opens so many connections; answers how many of them stay. */
async function connected(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(port, "127.0.0.1")
      .on("error", () => {})
      .resume(),
  );
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return sockets;
}

test("connections past the bound are closed", async () => {
  const { port } = new URL(await serveReads({ connections: 2 }));
  const sockets = await connected(Number(port), 3);
  await Promise.race(sockets.map((socket) => once(socket, "close")));
  const open = sockets.filter(({ destroyed }) => !destroyed);
  expect(open).toHaveLength(2);
  const closed = open.map((socket) => once(socket, "close"));
  await served?.close();
  await Promise.all(closed);
});

test("a request that takes longer than requestMs is cut", async () => {
  const { port } = new URL(await serveReads({ requestMs: 20 }));
  const [socket] = await connected(Number(port), 1);
  socket!.write("GET /metrics HTTP/1.1\r\n");
  await once(socket!, "close");
  expect(socket!.bytesRead).toBeGreaterThan(0);
});
