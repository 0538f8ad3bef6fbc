import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type MetricLimits, metricLimits } from "./limits.ts";
import type { Reading } from "./registry.ts";
import { contentType, textOf } from "./text.ts";

/** The port of metrics. */
export interface MetricsPort {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics at `/metrics`, and nothing else. All who ask within a second get the same text. On
 * a loopback address nobody gets it by a name that is none of this machine for itself.
 * Rejects as Node does where it cannot listen.
 */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  read: () => Promise<readonly Reading[]>,
  { keptMs, requestMs, connections }: MetricLimits = metricLimits,
): Promise<MetricsPort> {
  let kept: { readonly text: Promise<string>; readonly untilMs: number } | undefined;
  const find = () => {
    const nowMs = performance.now();
    if (kept === undefined || kept.untilMs <= nowMs) {
      kept = { text: read().then(textOf), untilMs: nowMs + keptMs };
    }
    return kept.text;
  };
  const times = { requestTimeout: requestMs, connectionsCheckingInterval: requestMs };
  const server = createServer(times, async ({ method, url, headers }, response) => {
    // Who takes no answer gives the connection back.
    response.setTimeout(requestMs, () => response.destroy());
    if (isOwnName(host) && !isOwnName(headers.host)) return void response.writeHead(421).end();
    if (url !== "/metrics" || method !== "GET") return void response.writeHead(404).end();
    const text = await find().catch(() => undefined);
    if (text === undefined) return void response.writeHead(503).end();
    response.writeHead(200, { "content-type": contentType, connection: "close" }).end(text);
  });
  server.maxConnections = connections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}/metrics`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Whether this is a name of this machine for itself, with a port or without. A page of a stranger
 * may have another name lead here, and could read what its browser is answered by that.
 */
function isOwnName(name = ""): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\]|::1)(?::\d+)?$/i.test(name);
}
