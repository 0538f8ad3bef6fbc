import { setTimeout as pause } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Health,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";
import { failure } from "./errors.ts";

/** Whether the server takes calls now: the store answers and nobody is stopping it. */
export interface Readiness {
  isReady(): Promise<boolean>;
  /** Ends when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Milliseconds between two looks of a watch. */
  readonly intervalMs: number;
}

/** `grpc.health.v1`: the empty name stands for the server as a whole. */
export function healthService(
  serviceNames: readonly string[],
  readiness: Readiness,
): ServiceImpl<typeof Health> {
  const known = new Set(["", ...serviceNames]);
  const status = async () => ((await readiness.isReady()) ? Status.SERVING : Status.NOT_SERVING);

  return {
    async check({ service }) {
      if (known.has(service)) return { status: await status() };
      const message = `This server has no service ${service}.`;
      throw failure({ reason: "SERVICE_NOT_FOUND", message });
    },

    async list() {
      const now = await status();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status: now }])) };
    },

    async *watch({ service }, { signal }) {
      const over = AbortSignal.any([signal, readiness.stopping]);
      let told: Status | undefined;
      for (;;) {
        const isLast = over.aborted;
        const found = known.has(service) ? await status() : Status.SERVICE_UNKNOWN;
        if (found !== told) yield { status: found };
        told = found;
        if (isLast) return;
        // Whoever waits is told at once when the server begins to stop.
        await pause(readiness.intervalMs, undefined, { signal: over, ref: false }).catch(() => {});
      }
    },
  };
}
