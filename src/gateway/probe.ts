import type { Store } from "../store/store.ts";
import { answerFields } from "./call/answer-fields.ts";
import { failure } from "./call/errors.ts";
import type { PathEndpoint, Respond } from "./endpoint.ts";
import type { Readiness } from "./health.ts";
import { type RefuseOptions, refuse } from "./refuse.ts";

interface ProbeOptions extends RefuseOptions {
  readonly readiness: Readiness;
  /** Whose storage operators ask after. */
  readonly store: Pick<Store, "condition">;
  readonly now: () => number;
}

/** For load balancers and people: is the process there, and does it take calls? */
export function probePaths(options: ProbeOptions): readonly PathEndpoint[] {
  const live: Respond = async (_request, reply) => {
    void reply.headers(answerFields).send({ status: "ok" });
  };
  const ready: Respond = async (request, reply) => {
    const { readiness, store, now } = options;
    const refusal = await readiness.refusal();
    if (refusal !== undefined) return refuse(request, reply, failure(refusal), options);
    const { figures, warnings } = await store.condition(now());
    void reply.headers(answerFields).send({ status: "ok", ...figures, warnings });
  };
  return [
    [{ verb: "GET", path: "/healthz" }, { respond: live }],
    [{ verb: "GET", path: "/readyz" }, { respond: ready }],
  ];
}
