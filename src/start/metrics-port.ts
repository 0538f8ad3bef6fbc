import { cannotListen, metricsListener } from "../config/cannot-listen.ts";
import type { Config } from "../config/config.ts";
import type { Running } from "./serve.ts";

/**
 * The service with its metrics on a port of their own, where the configuration has one. Rejects
 * with a ConfigError where that cannot be taken; then nothing is left open.
 */
export async function withMetricsPort(
  running: Running,
  { metricsAddress: host, metricsPort: port }: Pick<Config, "metricsAddress" | "metricsPort">,
): Promise<Running> {
  const { measure } = running;
  if (port === undefined || measure === undefined) return running;
  const { serveMetrics } = await import("../metrics/server.ts");
  try {
    const { url: metricsUrl, close } = await serveMetrics({ host, port }, measure);
    return {
      ...{ ...running, metricsUrl },
      close: async () => {
        await running.close();
        await close();
      },
    };
  } catch (cause) {
    await running.close();
    throw cannotListen({ host, port }, cause, metricsListener);
  }
}
