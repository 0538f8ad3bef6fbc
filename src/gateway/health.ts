import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
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

    async *watch({ service }, context) {
      if (!known.has(service)) {
        yield { status: Status.SERVICE_UNKNOWN };
        await untilOver(context, readiness);
        return;
      }
      yield { status: await status() };
      await untilOver(context, readiness);
      yield { status: Status.NOT_SERVING };
    },
  };
}

/** Resolves when the caller goes or the server begins to stop. */
async function untilOver(context: HandlerContext, { stopping }: Readiness): Promise<void> {
  const over = AbortSignal.any([context.signal, stopping]);
  if (!over.aborted) {
    await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
  }
}
