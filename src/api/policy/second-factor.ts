import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { SecondFactorType } from "../../../gen/iam/policy/v1/login_policy_pb.js";
import { ListDetailsSchema } from "../../../gen/iam/v1/search_pb.js";
import type { Violation } from "../../domain/decision.ts";
import {
  addSecondFactor,
  login,
  removeSecondFactor,
  type SecondFactor,
  secondFactors,
} from "../../domain/policy/login.ts";
import type { Service } from "../service.ts";
import { type Level, policyCalls } from "./calls.ts";

/** The handlers on the second factors of login policies, in either service. */
export function secondFactorHandlers(service: Service, level: Level) {
  const calls = policyCalls(service, login, level);
  const change = (decide: typeof addSecondFactor) => (request: Given, context: HandlerContext) =>
    calls.change(context, (before) => {
      const [factor = assertKnown()] = readFactors([request.type]);
      return decide(before, factor);
    });
  return {
    async listLoginPolicySecondFactors(_request: object, context: HandlerContext) {
      const { position, timeMs } = await service.store.head();
      const { policy } = await calls.find(context);
      const details = create(ListDetailsSchema, {
        totalResult: BigInt(policy.secondFactors.length),
        processedSequence: position,
        viewTimestamp: timestampFromMs(timeMs),
      });
      return { details, result: showFactors(policy.secondFactors) };
    },
    addSecondFactorToLoginPolicy: change(addSecondFactor),
    removeSecondFactorFromLoginPolicy: change(removeSecondFactor),
  };
}

function assertKnown(): never {
  throw new TypeError("a second factor that this service does not have was let through");
}

type Given = { readonly type: SecondFactorType };

/** The refusal of a second factor that this service does not have. */
export function factorViolations({ type }: Given): readonly Violation[] {
  return refuseOthers([type]).map((one) => ({ ...one, field: "type" }));
}

/** The same for a list of them. */
export function refuseOthers(given: readonly SecondFactorType[]): readonly Violation[] {
  const fields = given.flatMap((factor, index) => {
    return factor === SecondFactorType.OTP ? [] : [`second_factors[${index}]`];
  });
  return fields.map((field) => ({ field, description: "must be SECOND_FACTOR_TYPE_OTP" }));
}

const types: { readonly [factor in SecondFactor]: SecondFactorType } = {
  OTP: SecondFactorType.OTP,
};

/** Second factors as the contract has them. */
export function showFactors(factors: readonly SecondFactor[]): SecondFactorType[] {
  return factors.map((factor) => types[factor]);
}

/** Second factors that a request lists, each once. */
export function readFactors(given: readonly SecondFactorType[]): readonly SecondFactor[] {
  return secondFactors.filter((factor) => given.includes(types[factor]));
}
