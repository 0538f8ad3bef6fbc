import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import { serviceRequest } from "./requests.ts";
import type { Resident } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Size } from "./sizes.ts";

/**
 * The resident memory of a fresh server after each of two identical runs: as many calls by gRPC and
 * by Connect JSON, 64 at a time, then a moment of rest. Memory that grows with every call shows in
 * the second.
 */
export async function measureMemory(
  server: Child<ServerAnswers>,
  load: Child<LoadAnswers>,
  { memoryCalls: calls, restMs }: Pick<Size, "memoryCalls" | "restMs">,
  collect: boolean,
): Promise<Resident> {
  const target = await server.ask("target");
  const templates = [
    serviceRequest("grpc", "AddAPIApp", target),
    serviceRequest("connect", "AddOIDCApp", target),
  ];
  const limits = { inFlight: 64, warmUpMs: 0, measureMs: 120_000, callsMax: calls };
  const runOnce = async () => {
    for (const template of templates) {
      const measured = await load.ask("run", { port: target.port, template, ...limits });
      if (measured.calls !== calls) throw new Error("the runs were not identical: too slow");
    }
    await pause(restMs);
    return server.ask("residentBytes", { collect });
  };
  const afterFirst = await runOnce();
  return {
    how: collect ? "after a full collection" : "as it is",
    callsPerRun: calls * templates.length,
    bytes: [afterFirst, await runOnce()],
  };
}
