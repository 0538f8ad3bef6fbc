import * as adminLabel from "../../../gen/iam/admin/v1/label_policy_pb.js";
import * as adminLogin from "../../../gen/iam/admin/v1/login_policy_pb.js";
import * as adminPrivacy from "../../../gen/iam/admin/v1/privacy_policy_pb.js";
import * as adminFactor from "../../../gen/iam/admin/v1/second_factor_pb.js";
import * as ofLabel from "../../../gen/iam/management/v1/label_policy_pb.js";
import * as ofLogin from "../../../gen/iam/management/v1/login_policy_pb.js";
import * as ofPrivacy from "../../../gen/iam/management/v1/privacy_policy_pb.js";
import * as ofFactor from "../../../gen/iam/management/v1/second_factor_pb.js";
import { colourProblem } from "../../domain/policy/label.ts";
import { registerDomainProblem, sessionLifetimeProblem } from "../../domain/policy/login.ts";
import { httpsProblem } from "../../domain/policy/privacy.ts";
import { email, line, rulesOf, text, time } from "../field-rule.ts";
import { labelViolations } from "./label.ts";
import { loginViolations } from "./login.ts";
import { privacyViolations } from "./privacy.ts";
import { factorViolations } from "./second-factor.ts";

const colour = text("of the form #rrggbb", colourProblem);
const colours = {
  ...{ primaryColor: colour, warnColor: colour, backgroundColor: colour, fontColor: colour },
  ...{ primaryColorDark: colour, warnColorDark: colour },
  ...{ backgroundColorDark: colour, fontColorDark: colour },
};

const link = text("an absolute https URL without user or password", httpsProblem);
const links = {
  ...{ tosLink: link, privacyLink: link, helpLink: link, docsLink: link, customLink: link },
  ...{ customLinkText: line, supportEmail: email },
};

const logins = {
  sessionLifetime: time("whole seconds from 5 minutes to 14 days", sessionLifetimeProblem),
  registerDomains: text(
    "a host name in lower case, in the form xn-- where it has other letters",
    registerDomainProblem,
  ),
};

/** What the domain asks of the fields of policies: see `fieldRules`. */
export const policyRules = [
  rulesOf(ofLabel.AddCustomLabelPolicyRequestSchema, colours, labelViolations),
  rulesOf(ofLabel.UpdateCustomLabelPolicyRequestSchema, colours, labelViolations),
  rulesOf(adminLabel.UpdateLabelPolicyRequestSchema, colours, labelViolations),
  rulesOf(ofPrivacy.AddCustomPrivacyPolicyRequestSchema, links, privacyViolations),
  rulesOf(ofPrivacy.UpdateCustomPrivacyPolicyRequestSchema, links, privacyViolations),
  rulesOf(adminPrivacy.UpdatePrivacyPolicyRequestSchema, links, privacyViolations),
  rulesOf(ofLogin.AddCustomLoginPolicyRequestSchema, logins, loginViolations),
  rulesOf(ofLogin.UpdateCustomLoginPolicyRequestSchema, logins, loginViolations),
  rulesOf(adminLogin.UpdateLoginPolicyRequestSchema, logins, loginViolations),
  rulesOf(ofFactor.AddSecondFactorToLoginPolicyRequestSchema, {}, factorViolations),
  rulesOf(ofFactor.RemoveSecondFactorFromLoginPolicyRequestSchema, {}, factorViolations),
  rulesOf(adminFactor.AddSecondFactorToLoginPolicyRequestSchema, {}, factorViolations),
  rulesOf(adminFactor.RemoveSecondFactorFromLoginPolicyRequestSchema, {}, factorViolations),
];
