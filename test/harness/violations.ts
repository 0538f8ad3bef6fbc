import type { DescMessage, Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { Refused } from "../../src/api/call.ts";
import { describeViolations, type Violation } from "../../src/domain/decision.ts";
import { checkFields } from "../../src/gateway/call/fields.ts";

/** The broken rules that a message is refused for, as the contract names fields. */
export async function violationsOf(
  schema: DescMessage,
  message: Message,
): Promise<readonly Violation[]> {
  const check = async () => checkFields(schema, message);
  const refused = await check().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (refused === undefined) return [];
  if (!(refused instanceof Refused)) throw refused;
  const { reason, message: text, violations = [] } = refused.rejection;
  expect([reason, text]).toEqual(["INVALID_FIELDS", describeViolations(violations)]);
  return violations;
}
