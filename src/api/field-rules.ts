import { accountRules } from "./account/registration.ts";
import { actionRules } from "./action.ts";
import { actionTestRules } from "./action-test.ts";
import { appRules } from "./app/rules.ts";
import type { MessageRules } from "./field-rule.ts";
import { flowRules } from "./flow.ts";
import { groupRules } from "./group.ts";
import { idpRules } from "./idp/rules.ts";
import { orgRules } from "./org.ts";
import { policyRules } from "./policy/rules.ts";
import { projectRules } from "./project.ts";
import { roleRules } from "./role.ts";
import { userRules } from "./user/rules.ts";
import { watchRules } from "./watch.ts";

/**
 * What the domain asks of fields alone, besides what the contract states in `buf.validate`: it is
 * told together with that, before anything is looked up. Each noun has its own.
 */
export const fieldRules: ReadonlyMap<string, MessageRules> = new Map(
  [
    ...[orgRules, projectRules, roleRules, groupRules, appRules, idpRules, policyRules],
    ...[actionRules, actionTestRules, flowRules, userRules, accountRules, watchRules],
  ].flat(),
);
