import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ImportHumanUserRequest,
  ImportHumanUserRequest_ProfileSchema,
  type ImportHumanUserRequest_IDP as LinkRequest,
  type ImportHumanUserRequest_Profile as ProfileRequest,
} from "../../../gen/iam/management/v1/human_pb.js";
import type { UpdateHumanProfileRequest } from "../../../gen/iam/management/v1/user_update_pb.js";
import { Gender } from "../../../gen/iam/user/v1/user_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { streamOf } from "../../domain/noun.ts";
import { updateProfile } from "../../domain/user/change.ts";
import type { CodeEvent } from "../../domain/user/credential/delivery.ts";
import { ownPasswordProblem } from "../../domain/user/credential/password.ts";
import {
  codesNeeded,
  completeName,
  importHuman,
  linkViolations,
  type NewHuman,
  nameHuman,
} from "../../domain/user/human/human.ts";
import type { ExternalIDP } from "../../domain/user/state/external-account.ts";
import type { Profile } from "../../domain/user/state/human-state.ts";
import { user } from "../../domain/user/state/user.ts";
import { readTotpSecret } from "../../secrets/totp.ts";
import { callOf, viaOfCall } from "../call.ts";
import { decideWhole } from "../changing.ts";
import { createdDetails } from "../details.ts";
import { enumNames } from "../enum.ts";
import type { Handlers } from "../handlers.ts";
import { refsOfIDPs } from "../idp-link.ts";
import { confirmCaller, perform, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { freshPasskeyLink } from "./invitation.ts";
import { requirePhoneNumber } from "./phone-number.ts";
import { changeUser } from "./user.ts";

/** The handlers on people. */
export function humanHandlers(service: Service) {
  return {
    async importHumanUser(request, context) {
      const { organization } = callOf(context);
      const userId = service.newId();
      const made = request.requestPasswordlessRegistration
        ? freshPasskeyLink(service, userId, organization)
        : undefined;
      const recorded = made === undefined ? {} : { passwordless: made.recorded };
      const prepared = await prepareHuman(service, request, userId, context);
      const human = { ...prepared, ...recorded };
      return await perform(service, context, {
        writes: { user: { noun: user, id: userId, owner: organization, isNew: true } },
        relies: refsOfIDPs(request.idps.map(({ configId }) => configId)),
        decide: (states, nowMs) => importHuman(states, human, nowMs),
        // An import of many people is not delayed by their phones: those can be verified later.
        unsent: (states, nowMs) => importHuman(states, withoutPhoneCode(human), nowMs),
        answer: (written) => ({
          userId,
          details: createdDetails(written),
          ...(made ? { passwordlessRegistration: registrationOf(made) } : {}),
        }),
      });
    },

    updateHumanProfile: (request, context) =>
      changeUser(service, request.userId, context, (states, acted) => {
        const before = states.user?.human;
        return decideWhole(request, context, before && showProfile(before), (whole) =>
          updateProfile(states, acted, readProfile(whole)),
        );
      }),
  } satisfies Handlers;
}

/** Reads the person of a request, and does what is slow or random for it. */
async function prepareHuman(
  service: Service,
  request: ImportHumanUserRequest,
  userId: string,
  context: HandlerContext,
): Promise<NewHuman> {
  const { keyring, passwords } = service;
  const { userName, phone, password, hashedPassword, otpCode, passwordChangeRequired } = request;
  const number = phone && (await requirePhoneNumber(phone.phone));
  if (password !== "") await confirmCaller(service, context);
  const passwordHash =
    password === ""
      ? hashedPassword?.value
      : await passwords.hashPassword(password, { signal: context.signal });
  const sealedField = { stream: streamOf(user, userId), field: "otp.secret" };
  const human = {
    added: {
      ...nameHuman(userName),
      ...readProfile(request.profile ?? create(ImportHumanUserRequest_ProfileSchema)),
      email: request.email?.email ?? "",
      passwordChangeRequired,
      ...(number === undefined ? {} : { phone: number }),
    },
    externalIDPs: request.idps.map(readLink),
    ...viaOfCall(context),
    organization: callOf(context).organization,
    ...(passwordHash === undefined ? {} : { passwordHash }),
    isEmailVerified: request.email?.isEmailVerified ?? false,
    isPhoneVerified: phone?.isPhoneVerified ?? false,
    ...(otpCode === "" ? {} : { otpSecret: keyring.seal(requireOtpSecret(otpCode), sealedField) }),
  };
  const needed = codesNeeded(human);
  const initialization = "user.human.initialization.code.added";
  const codeFor = (type: CodeEvent["type"]) => freshCode(service, type, userId).code;
  return {
    ...human,
    ...(needed.initialization ? { initializationCode: codeFor(initialization) } : {}),
    ...(needed.phone ? { phoneCode: codeFor("user.human.phone.code.added") } : {}),
  };
}

function withoutPhoneCode({ phoneCode: _code, ...human }: NewHuman): NewHuman {
  return human;
}

/** The broken rules of a person that several fields decide together. */
export function humanViolations(request: ImportHumanUserRequest): readonly Violation[] {
  const { userName, profile, email, password, hashedPassword, idps } = request;
  const { firstName = "", lastName = "", nickName = "", displayName = "" } = profile ?? {};
  const names = { userName, firstName, lastName, nickName, displayName };
  const known = { ...names, email: email?.email ?? "" };
  const own = password === "" ? undefined : ownPasswordProblem(password, known);
  const isTwice = password !== "" && hashedPassword !== undefined;
  const description = "must be absent when a password is given";
  return [
    ...linkViolations("idps", idps.map(readLink)),
    ...(own === undefined ? [] : [{ field: "password", description: own }]),
    ...(isTwice ? [{ field: "hashed_password", description }] : []),
  ];
}

function readLink({ configId, externalUserId, displayName }: LinkRequest): ExternalIDP {
  return { idpId: configId, externalUserId, displayName };
}

/** The secret of an authenticator app in a text that the rule of these let pass. */
function requireOtpSecret(text: string): string {
  const read = readTotpSecret(text);
  if (!read.ok) throw new TypeError("a text that is no secret was let through");
  return read.secret;
}

function readProfile(profile: ProfileRequest | UpdateHumanProfileRequest): Profile {
  const { firstName, lastName, nickName, preferredLanguage, gender } = profile;
  return {
    ...{ firstName, lastName, nickName, preferredLanguage },
    displayName: completeName(profile),
    gender: genders.read(gender),
  };
}

/** The names of a person and what else others see of it, as they are shown. */
export function showProfile(profile: Profile) {
  const { firstName, lastName, nickName, displayName, preferredLanguage } = profile;
  return {
    ...{ firstName, lastName, nickName, displayName, preferredLanguage },
    gender: genders.show(profile.gender),
  };
}

/** A link as the answer has it, in two fields. */
function registrationOf({ link, expiration }: ReturnType<typeof freshPasskeyLink>) {
  return { link, lifetime: expiration, expiration };
}

/** The genders of people. */
const genders = enumNames(Gender, "");
