import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Health,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";
import type { Rejection } from "../domain/decision.ts";
import { failure } from "./call/errors.ts";

/** Whether the server takes calls now: the store answers and nobody is stopping it. */
export interface Readiness {
  /** Why it takes none; undefined where it does. */
  refusal(): Promise<Rejection | undefined>;
  /** Ends when the server still takes calls, and is going to stop. */
  readonly draining: AbortSignal;
  /** Ends when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Milliseconds between two looks, for all watches. */
  readonly intervalMs: number;
}

/** `grpc.health.v1`: the empty name stands for the server as a whole. */
export function healthService(
  serviceNames: readonly string[],
  readiness: Readiness,
): ServiceImpl<typeof Health> {
  const known = new Set(["", ...serviceNames]);
  const looks = createLooks(readiness);

  return {
    async check({ service }) {
      if (known.has(service)) return { status: await looks.status() };
      const message = `This server has no service ${service}.`;
      throw failure({ reason: "SERVICE_NOT_FOUND", message });
    },

    async list() {
      const now = await looks.status();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status: now }])) };
    },

    async *watch({ service }, context) {
      const isKnown = known.has(service);
      let told: Status | undefined;
      for (;;) {
        const isLast = context.signal.aborted || readiness.stopping.aborted;
        const found = isKnown ? await looks.status() : Status.SERVICE_UNKNOWN;
        if (found !== told) yield { status: found };
        told = found;
        if (isLast) return;
        await looks.beyond(isKnown ? found : undefined, context.signal);
      }
    },
  };
}

/** Looks at the server for everybody who waits, one look for all. */
interface Looks {
  /** The status now. */
  status(): Promise<Status>;
  /**
   * Resolves when the status is found to be another one, when the server begins to stop, or when
   * the signal ends. Without a status it waits for the last two alone.
   */
  beyond(status: Status | undefined, signal: AbortSignal): Promise<void>;
}

function createLooks({ refusal, draining, stopping, intervalMs }: Readiness): Looks {
  const waiting = new Map<() => void, Status | undefined>();
  let timer: NodeJS.Timeout | undefined;
  const status = async () =>
    (await refusal()) === undefined ? Status.SERVING : Status.NOT_SERVING;

  const look = async () => {
    const found = await status();
    for (const [wake, known] of waiting) if (known !== undefined && known !== found) wake();
  };
  const wakeAll = () => {
    for (const wake of waiting.keys()) wake();
  };
  for (const signal of [draining, stopping]) signal.addEventListener("abort", wakeAll);

  return {
    status,
    beyond(known, signal) {
      if (signal.aborted || stopping.aborted) return Promise.resolve();
      timer ??= setInterval(() => void look(), intervalMs).unref();
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          if (waiting.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
          resolve();
        };
        waiting.set(wake, known);
        signal.addEventListener("abort", wake);
      });
    },
  };
}
