import { AddIAMMemberRequestSchema } from "../../../gen/iam/admin/v1/member_pb.js";
import * as credential from "../../../gen/iam/management/v1/credential_change_pb.js";
import * as human from "../../../gen/iam/management/v1/human_pb.js";
import { ResendHumanInitializationRequestSchema } from "../../../gen/iam/management/v1/invitation_pb.js";
import { AddMachineKeyRequestSchema } from "../../../gen/iam/management/v1/machine_key_pb.js";
import * as member from "../../../gen/iam/management/v1/member_pb.js";
import { SetUserMetadataRequestSchema } from "../../../gen/iam/management/v1/metadata_pb.js";
import { AddMachineUserRequestSchema } from "../../../gen/iam/management/v1/user_pb.js";
import { ListUsersRequestSchema } from "../../../gen/iam/management/v1/user_search_pb.js";
import * as update from "../../../gen/iam/management/v1/user_update_pb.js";
import { SetPhoneRequestSchema } from "../../../gen/iam/user/v2/phone_pb.js";
import type { Problem } from "../../domain/decision.ts";
import { keyProblem, loginNameProblem } from "../../domain/name.ts";
import type { Scope } from "../../domain/permission.ts";
import { passwordProblem } from "../../domain/user/credential/password.ts";
import { displayNameProblem, languageProblem } from "../../domain/user/human/human.ts";
import { phoneProblem } from "../../domain/user/human/phone.ts";
import { roleProblem } from "../../domain/user/membership.ts";
import { checkNewHash } from "../../secrets/passwords/encoded.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import { readTotpSecret } from "../../secrets/totp.ts";
import { email, line, name, pathKey, plain, rulesOf, text } from "../field-rule.ts";
import { resetViolations } from "./credential.ts";
import { humanViolations } from "./human.ts";
import { machineKeyViolations } from "./machine-key.ts";
import { readPhoneNumber } from "./phone-number.ts";
import { queryViolations } from "./query.ts";

const userName = text(`not blank, ${plain}; blanks at its ends are removed`, loginNameProblem);
const phone = text(
  "a global number (RFC 3966) without parameters, with as many digits as numbers of its " +
    "country have",
  async (given) => phoneProblem(await readPhoneNumber(given)),
);
/** The rule of passwords. */
export const password = text("not blank and not a common password", async (given) =>
  passwordProblem(given, await readPopular()),
);
const otpCode = text(
  "base32 (RFC 4648) with or without spaces, hyphens and padding: 16 to 128 of the " +
    "characters A-Z and 2-7 that make whole bytes",
  (given) => problemIn(readTotpSecret(given)),
);
const hash = text(
  "Argon2 ($argon2id$, $argon2i$), bcrypt ($2a$, $2b$, $2y$), scrypt ($scrypt$, $7$), PBKDF2 " +
    "($pbkdf2$, $pbkdf2-sha1$, $pbkdf2-sha256$, $pbkdf2-sha512$), sha-crypt ($5$, $6$), " +
    "md5-crypt ($1$) or phpass ($P$, $H$); Argon2 of at least 4096 KiB, PBKDF2 and sha-crypt " +
    "of at least 1,000 rounds, scrypt of an N of at least 2^12",
  (given) => problemIn(checkNewHash(given)),
);
const role = (level: Scope["level"], where: string) =>
  text(`a role that does not exist ${where} is refused`, (given) => roleProblem(given, level));

const profile = {
  ...{ firstName: name, lastName: name, nickName: line },
  displayName: text(plain, displayNameProblem),
  preferredLanguage: text("a BCP 47 tag of those that Unicode knows", languageProblem),
};

/** What the domain asks of the fields of users: see `fieldRules`. */
export const userRules = [
  rulesOf(AddMachineUserRequestSchema, { userName, name }),
  rulesOf(update.UpdateMachineRequestSchema, { name }),
  rulesOf(AddMachineKeyRequestSchema, {}, machineKeyViolations),
  rulesOf(update.UpdateUserNameRequestSchema, { userName }),
  rulesOf(update.UpdateHumanProfileRequestSchema, profile),
  rulesOf(AddIAMMemberRequestSchema, { roles: role("instance", "on the instance") }),
  rulesOf(member.AddOrgMemberRequestSchema, { roles: role("organization", "in organizations") }),
  rulesOf(member.AddProjectMemberRequestSchema, { roles: role("project", "on projects") }),
  rulesOf(human.ImportHumanUserRequestSchema, { userName, password, otpCode }, humanViolations),
  rulesOf(human.ImportHumanUserRequest_ProfileSchema, profile),
  rulesOf(human.ImportHumanUserRequest_EmailSchema, { email }),
  rulesOf(human.ImportHumanUserRequest_PhoneSchema, { phone }),
  rulesOf(human.ImportHumanUserRequest_HashedPasswordSchema, { value: hash }),
  rulesOf(human.ImportHumanUserRequest_IDPSchema, { displayName: line }),
  rulesOf(ResendHumanInitializationRequestSchema, { email }),
  rulesOf(update.UpdateHumanEmailRequestSchema, { email }),
  rulesOf(SetPhoneRequestSchema, { phone }),
  rulesOf(update.UpdateHumanPhoneRequestSchema, { phone }),
  rulesOf(credential.SetHumanPasswordRequestSchema, { password }),
  rulesOf(credential.SendHumanResetPasswordNotificationRequestSchema, {}, resetViolations),
  rulesOf(SetUserMetadataRequestSchema, {
    key: text(`${pathKey}, without control characters and line breaks`, keyProblem),
  }),
  rulesOf(ListUsersRequestSchema, {}, ({ queries }) => queryViolations("queries", queries)),
];

function problemIn(
  read: { readonly ok: true } | { readonly ok: false; readonly reason: string },
): Problem {
  return read.ok ? undefined : read.reason;
}
