import {
  FinishPasskeyRequestSchema,
  InitializeRequestSchema,
} from "../../gen/iam/account/v1/account_pb.js";
import { AddIAMMemberRequestSchema } from "../../gen/iam/admin/v1/member_pb.js";
import type { OIDCGrantType, OIDCResponseType } from "../../gen/iam/app/v1/app_pb.js";
import { WatchEventsRequestSchema } from "../../gen/iam/event/v1/watch_pb.js";
import {
  AddGroupRequestSchema,
  UpdateGroupRequestSchema,
} from "../../gen/iam/group/v1/group_pb.js";
import { UpdateActionRequestSchema } from "../../gen/iam/management/v1/action_change_pb.js";
import { CreateActionRequestSchema } from "../../gen/iam/management/v1/action_pb.js";
import { TestActionRequestSchema } from "../../gen/iam/management/v1/action_test_pb.js";
import { UpdateAppRequestSchema } from "../../gen/iam/management/v1/app_change_pb.js";
import {
  AddRedirectURIRequestSchema,
  UpdateOIDCAppConfigRequestSchema,
  UpdateSAMLAppConfigRequestSchema,
} from "../../gen/iam/management/v1/app_config_pb.js";
import {
  AddAPIAppRequestSchema,
  AddOIDCAppRequestSchema,
  AddSAMLAppRequestSchema,
} from "../../gen/iam/management/v1/app_pb.js";
import {
  SendHumanResetPasswordNotificationRequestSchema,
  SetHumanPasswordRequestSchema,
} from "../../gen/iam/management/v1/credential_change_pb.js";
import {
  ClearFlowRequestSchema,
  GetFlowRequestSchema,
  ListFlowTriggerTypesRequestSchema,
  SetTriggerActionsRequestSchema,
} from "../../gen/iam/management/v1/flow_pb.js";
import {
  ImportHumanUserRequest_EmailSchema,
  ImportHumanUserRequest_HashedPasswordSchema,
  ImportHumanUserRequest_IDPSchema,
  ImportHumanUserRequest_PhoneSchema,
  ImportHumanUserRequest_ProfileSchema,
  ImportHumanUserRequestSchema,
} from "../../gen/iam/management/v1/human_pb.js";
import { ResendHumanInitializationRequestSchema } from "../../gen/iam/management/v1/invitation_pb.js";
import { AddMachineKeyRequestSchema } from "../../gen/iam/management/v1/machine_key_pb.js";
import {
  AddOrgMemberRequestSchema,
  AddProjectMemberRequestSchema,
} from "../../gen/iam/management/v1/member_pb.js";
import { SetUserMetadataRequestSchema } from "../../gen/iam/management/v1/metadata_pb.js";
import { UpdateOrgRequestSchema } from "../../gen/iam/management/v1/org_change_pb.js";
import { AddOrgRequestSchema } from "../../gen/iam/management/v1/org_pb.js";
import { UpdateProjectRequestSchema } from "../../gen/iam/management/v1/project_change_pb.js";
import { AddProjectRequestSchema } from "../../gen/iam/management/v1/project_pb.js";
import {
  AddProjectRoleRequestSchema,
  BulkAddProjectRolesRequest_RoleSchema,
  BulkAddProjectRolesRequestSchema,
  UpdateProjectRoleRequestSchema,
} from "../../gen/iam/management/v1/project_role_pb.js";
import { AddMachineUserRequestSchema } from "../../gen/iam/management/v1/user_pb.js";
import { ListUsersRequestSchema } from "../../gen/iam/management/v1/user_search_pb.js";
import {
  UpdateHumanEmailRequestSchema,
  UpdateHumanPhoneRequestSchema,
  UpdateHumanProfileRequestSchema,
  UpdateMachineRequestSchema,
  UpdateUserNameRequestSchema,
} from "../../gen/iam/management/v1/user_update_pb.js";
import { SetPhoneRequestSchema } from "../../gen/iam/user/v2/phone_pb.js";
import { contextProblem, timeoutProblem } from "../domain/action.ts";
import { clockSkewProblem, flowViolations } from "../domain/app/create.ts";
import type { Problem } from "../domain/decision.ts";
import { flowProblem } from "../domain/flow-types.ts";
import { keyProblem, loginNameProblem, nameProblem } from "../domain/name.ts";
import type { Scope } from "../domain/permission.ts";
import { repeatedKeys } from "../domain/role.ts";
import {
  callProblem,
  deviceSchemes,
  linkProblem,
  originProblem,
  redirectUriProblem,
} from "../domain/uri.ts";
import { passwordProblem } from "../domain/user/credential/password.ts";
import { phoneProblem } from "../domain/user/human/phone.ts";
import { displayNameProblem, languageProblem } from "../domain/user/human.ts";
import { roleProblem } from "../domain/user/membership.ts";
import { urlProblem } from "../fetch/fetcher.ts";
import { checkNewHash } from "../secrets/passwords/encoded.ts";
import { readPopular } from "../secrets/passwords/popular.ts";
import { readTotpSecret } from "../secrets/totp.ts";
import { registrationViolations } from "./account/registration.ts";
import { testViolations } from "./action-test.ts";
import { grantTypes, responseTypes } from "./app/enums.ts";
import { email, line, type MessageRules, name, plain, rulesOf, text, time } from "./field-rule.ts";
import { setViolations } from "./flow.ts";
import { idpRules } from "./idp/rules.ts";
import { policyRules } from "./policy/rules.ts";
import { resumeTokenProblem } from "./resume-token.ts";
import { resetViolations } from "./user/credential.ts";
import { humanViolations } from "./user/human.ts";
import { machineKeyViolations } from "./user/machine-key.ts";
import { readPhoneNumber } from "./user/phone-number.ts";
import { queryViolations } from "./user/query.ts";

const loginName = text(`not blank, ${plain}; blanks at its ends are removed`, loginNameProblem);
const phone = text(
  "a global number (RFC 3966) without parameters, with as many digits as numbers of its " +
    "country have",
  async (given) => phoneProblem(await readPhoneNumber(given)),
);
const password = text("not blank and not a common password", async (given) =>
  passwordProblem(given, await readPopular()),
);
const link =
  "an absolute URI without white space and invisible characters, http and https with a host, and " +
  `no scheme that can run scripts or read files (${deviceSchemes.join(", ")}, or a single letter)`;
const trimmed = (problemOf: (uri: string) => Problem) => (uri: string) => problemOf(uri.trim());
const metadataUrl = text("an absolute URL without user or password", urlProblem);
const role = (level: Scope["level"], where: string) =>
  text(`a role that does not exist ${where} is refused`, (given) => roleProblem(given, level));

const oidcClient = {
  redirectUris: text(`${link}, and no fragment (RFC 6749, 3.1.2)`, trimmed(redirectUriProblem)),
  postLogoutRedirectUris: text(link, trimmed(linkProblem)),
  additionalOrigins: text(
    "scheme://hostname[:port] without user, path, query or fragment",
    trimmed(originProblem),
  ),
  clockSkew: time("from 0, the default, to 5 seconds", clockSkewProblem),
  backChannelLogoutUri: text(
    "an absolute http or https URL without user, password and fragment",
    trimmed(callProblem),
  ),
};
const brokenFlows = (given: {
  readonly responseTypes: readonly OIDCResponseType[];
  readonly grantTypes: readonly OIDCGrantType[];
}) =>
  flowViolations({
    responseTypes: responseTypes.known(given.responseTypes),
    grantTypes: grantTypes.known(given.grantTypes),
  });

const profile = {
  ...{ firstName: name, lastName: name, nickName: line },
  displayName: text(plain, displayNameProblem),
  preferredLanguage: text("a BCP 47 tag of those that Unicode knows", languageProblem),
};

const scripted = {
  name,
  script: text("what does not parse as JavaScript is refused", async (given) => {
    const { scriptProblem } = await import("./script.ts");
    return scriptProblem(given);
  }),
  timeout: time("more than 0 s, at most 20 s", timeoutProblem),
};
const flowType = text("Any other is refused", flowProblem);
const contextJson = text("a JSON object", contextProblem);

const roleKey = text(
  `the first of which is no underscore, not blank, ${plain}`,
  (given) => keyProblem(given) ?? nameProblem(given),
);
const roleLook = { displayName: name, group: line };

/**
 * What the domain asks of fields alone, besides what the contract states in `buf.validate`: it is
 * told together with that, before anything is looked up.
 */
export const fieldRules: ReadonlyMap<string, MessageRules> = new Map([
  ...policyRules,
  ...idpRules,
  rulesOf(AddOrgRequestSchema, { name }),
  rulesOf(UpdateOrgRequestSchema, { name }),
  rulesOf(AddProjectRequestSchema, { name }),
  rulesOf(UpdateProjectRequestSchema, { name }),
  rulesOf(AddOIDCAppRequestSchema, { name, ...oidcClient }, brokenFlows),
  rulesOf(UpdateAppRequestSchema, { name }),
  rulesOf(UpdateOIDCAppConfigRequestSchema, oidcClient, brokenFlows),
  rulesOf(AddRedirectURIRequestSchema, { uri: oidcClient.redirectUris }),
  rulesOf(AddAPIAppRequestSchema, { name }),
  rulesOf(AddSAMLAppRequestSchema, { name, metadataUrl }),
  rulesOf(UpdateSAMLAppConfigRequestSchema, { metadataUrl }),
  rulesOf(CreateActionRequestSchema, scripted),
  rulesOf(UpdateActionRequestSchema, scripted),
  rulesOf(TestActionRequestSchema, { ...scripted, flowType, contextJson }, testViolations),
  rulesOf(SetTriggerActionsRequestSchema, { flowType }, setViolations),
  rulesOf(GetFlowRequestSchema, { type: flowType }),
  rulesOf(ClearFlowRequestSchema, { type: flowType }),
  rulesOf(ListFlowTriggerTypesRequestSchema, { type: flowType }),
  rulesOf(AddMachineUserRequestSchema, { userName: loginName, name }),
  rulesOf(UpdateMachineRequestSchema, { name }),
  rulesOf(AddMachineKeyRequestSchema, {}, machineKeyViolations),
  rulesOf(UpdateUserNameRequestSchema, { userName: loginName }),
  rulesOf(UpdateHumanProfileRequestSchema, profile),
  rulesOf(AddIAMMemberRequestSchema, { roles: role("instance", "on the instance") }),
  rulesOf(AddOrgMemberRequestSchema, { roles: role("organization", "in organizations") }),
  rulesOf(AddProjectMemberRequestSchema, { roles: role("project", "on projects") }),
  rulesOf(
    ImportHumanUserRequestSchema,
    {
      userName: loginName,
      password,
      otpCode: text(
        "base32 (RFC 4648) with or without spaces, hyphens and padding: 16 to 128 of the " +
          "characters A-Z and 2-7 that make whole bytes",
        (given) => problemIn(readTotpSecret(given)),
      ),
    },
    humanViolations,
  ),
  rulesOf(ImportHumanUserRequest_ProfileSchema, profile),
  rulesOf(ImportHumanUserRequest_EmailSchema, { email }),
  rulesOf(ImportHumanUserRequest_PhoneSchema, { phone }),
  rulesOf(ImportHumanUserRequest_HashedPasswordSchema, {
    value: text(
      "Argon2 ($argon2id$, $argon2i$), bcrypt ($2a$, $2b$, $2y$), scrypt ($scrypt$, $7$), PBKDF2 " +
        "($pbkdf2$, $pbkdf2-sha1$, $pbkdf2-sha256$, $pbkdf2-sha512$), sha-crypt ($5$, $6$), " +
        "md5-crypt ($1$) or phpass ($P$, $H$); Argon2 of at least 4096 KiB, PBKDF2 and sha-crypt " +
        "of at least 1,000 rounds, scrypt of an N of at least 2^12",
      (given) => problemIn(checkNewHash(given)),
    ),
  }),
  rulesOf(ImportHumanUserRequest_IDPSchema, { displayName: line }),
  rulesOf(ResendHumanInitializationRequestSchema, { email }),
  rulesOf(UpdateHumanEmailRequestSchema, { email }),
  rulesOf(SetPhoneRequestSchema, { phone }),
  rulesOf(UpdateHumanPhoneRequestSchema, { phone }),
  rulesOf(SetHumanPasswordRequestSchema, { password }),
  rulesOf(InitializeRequestSchema, { password }),
  rulesOf(FinishPasskeyRequestSchema, { name: line }, registrationViolations),
  rulesOf(
    WatchEventsRequestSchema,
    { resumeToken: text("the unchanged text of an answer of this service", resumeTokenProblem) },
    ({ sequence, resumeToken }) =>
      sequence === 0n || resumeToken === ""
        ? []
        : [{ field: "resume_token", description: "must not be given together with sequence" }],
  ),
  rulesOf(SendHumanResetPasswordNotificationRequestSchema, {}, resetViolations),
  rulesOf(SetUserMetadataRequestSchema, {
    key: text("the first of which is no underscore", keyProblem),
  }),
  rulesOf(AddProjectRoleRequestSchema, { roleKey, ...roleLook }),
  rulesOf(BulkAddProjectRolesRequestSchema, {}, ({ roles }) => repeatedKeys(roles)),
  rulesOf(BulkAddProjectRolesRequest_RoleSchema, { key: roleKey, ...roleLook }),
  rulesOf(UpdateProjectRoleRequestSchema, roleLook),
  rulesOf(AddGroupRequestSchema, { name }),
  rulesOf(UpdateGroupRequestSchema, { name }),
  rulesOf(ListUsersRequestSchema, {}, ({ queries }) => queryViolations("queries", queries)),
]);

function problemIn(
  read: { readonly ok: true } | { readonly ok: false; readonly reason: string },
): Problem {
  return read.ok ? undefined : read.reason;
}
