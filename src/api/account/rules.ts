import {
  FinishPasskeyRequestSchema,
  InitializeRequestSchema,
} from "../../../gen/iam/account/v1/account_pb.js";
import { line, rulesOf } from "../field-rule.ts";
import { password } from "../user/rules.ts";
import { registrationViolations } from "./registration.ts";

/** What the domain asks of the fields that people send for themselves: see `fieldRules`. */
export const accountRules = [
  rulesOf(InitializeRequestSchema, { password }),
  rulesOf(FinishPasskeyRequestSchema, { name: line }, registrationViolations),
];
