import { cannotListen, metricsListener } from "../config/cannot-listen.ts";
import type { Config } from "../config/config.ts";
import { takePort } from "../port/listen.ts";

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
  const isOwn = socket === undefined && processes === 1;
  const take = () =>
    takePort({ host, port }, { isOnLoopbacks: true }).catch((cause) => {
      throw cannotListen({ host, port }, cause);
    });
  const release = isOwn ? await take() : undefined;
  try {
    if (metricsPort === undefined) return;
    const metrics = { host: metricsAddress, port: metricsPort };
    const releaseMetrics = await takePort(metrics, { isOnLoopbacks: false }).catch((cause) => {
      throw cannotListen(metrics, cause, metricsListener);
    });
    await releaseMetrics();
  } finally {
    await release?.();
  }
}
