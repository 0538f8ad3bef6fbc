import { cannotListen, metricsListener } from "../config/cannot-listen.ts";
import type { Config } from "../config/config.ts";
import { assertFree } from "../port/listen.ts";

/**
 * Rejects with a ConfigError where another program listens on a port of the configuration. Look
 * here before the log is opened: a start that fails later may have taken it over by then from a
 * service that runs. A socket that was handed over takes the place of host and port.
 */
export async function assertPortsFree(
  { host, port, metricsAddress, metricsPort, processes }: Config,
  socket: number | undefined,
): Promise<void> {
  // Several processes hold the port before they start.
  if (socket === undefined && processes === 1) {
    await assertFree(host, port).catch((cause) => {
      throw cannotListen({ host, port }, cause);
    });
  }
  if (metricsPort !== undefined) {
    const metrics = { host: metricsAddress, port: metricsPort };
    await assertFree(metrics.host, metrics.port).catch((cause) => {
      throw cannotListen(metrics, cause, metricsListener);
    });
  }
}
