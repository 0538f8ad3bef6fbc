import { create } from "@bufbuild/protobuf";
import {
  ActionEffectSchema,
  type TestActionRequest,
  TestActionRequestSchema,
} from "../../gen/iam/management/v1/action_test_pb.js";
import type { Outcome } from "../actions/run.ts";
import { effectsAt } from "../actions/triggers.ts";
import { contextForm, contextProblem, timeoutNanosDefault } from "../domain/action.ts";
import type { Violation } from "../domain/decision.ts";
import { type Claims, nothingSet, takeClaims, withSet } from "../domain/set-claims.ts";
import { scripted } from "./action.ts";
import { claimsIn, sampleFor } from "./action-sample.ts";
import { callOf } from "./call.ts";
import { toDuration, toNanos } from "./duration.ts";
import { rulesOf, text } from "./field-rule.ts";
import { flowType, triggerOf, triggerViolations } from "./flow.ts";
import type { Handlers } from "./handlers.ts";
import { confirmCaller, type Service } from "./service.ts";

/** What the domain asks of the fields of a test: see `fieldRules`. */
export const actionTestRules = [
  rulesOf(
    TestActionRequestSchema,
    { ...scripted, flowType, contextJson: text(contextForm, contextProblem) },
    testViolations,
  ),
];

/** The handler that runs a script without consequences. */
export function actionTestHandlers(service: Service) {
  return {
    async testAction(request, context) {
      const { name, script, timeout } = request;
      const { organization } = callOf(context);
      const at = triggerOf(request);
      const told = await sampleFor(service, request, at.flow, context);
      // What may take long comes after the caller was looked at once more.
      await confirmCaller(service, context);
      const outcome = await service.sandbox.run({
        ...{ name, script, organization, isDry: true, context: told, signal: context.signal },
        api: effectsAt(at),
        timeoutMs: (timeout === undefined ? timeoutNanosDefault : toNanos(timeout)) / 1e6,
      });
      return showOutcome(name, outcome, claimsIn(told));
    },
  } satisfies Handlers;
}

/** The rules of what is tested that several fields decide. */
function testViolations(request: TestActionRequest): readonly Violation[] {
  const { userId, contextJson } = request;
  return [
    ...triggerViolations(request),
    ...(userId === "" || contextJson === ""
      ? []
      : [{ field: "context_json", description: "must not be given together with user_id" }]),
  ];
}

function showOutcome(action: string, outcome: Outcome, claims: Claims) {
  const { effects, log, durationMs, memoryBytes, problem } = outcome;
  const taken = takeClaims(claims, nothingSet, { action, effects });
  return {
    effects: effects.map(({ kind, name, value }) =>
      create(ActionEffectSchema, { kind, name, valueJson: JSON.stringify(value) }),
    ),
    claimsBeforeJson: JSON.stringify(claims),
    claimsAfterJson: JSON.stringify(withSet(claims, taken)),
    log: [...log],
    duration: toDuration(Math.round(durationMs * 1e6)),
    memoryBytes: BigInt(memoryBytes),
    ...(problem && { problem }),
  };
}
