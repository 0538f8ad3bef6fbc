import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  ImportHumanUserRequest,
  ImportHumanUserResponseSchema,
  ImportHumanUserRequest_Profile as ProfileRequest,
} from "../../../gen/iam/management/v1/human_pb.js";
import { Gender } from "../../../gen/iam/user/v1/user_pb.js";
import { invalidFields, type Violation } from "../../domain/decision.ts";
import { type IDPEvent, type IDPState, idp } from "../../domain/idp.ts";
import { streamOf } from "../../domain/noun.ts";
import { humanViolations, importHuman, type NewHuman, shownName } from "../../domain/user/human.ts";
import { codeLifetimesMs, type HumanAdded, type Profile } from "../../domain/user/human-state.ts";
import { user } from "../../domain/user/user.ts";
import type { StreamRef } from "../../execute/command.ts";
import { checkHash } from "../../secrets/passwords/encoded.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { readTotpSecret } from "../../secrets/totp.ts";
import { actorOf, callOf, Refused } from "../call.ts";
import { createdDetails } from "../details.ts";
import { type Service, written } from "../service.ts";
import { createCode } from "./code.ts";
import { languageViolations, readPhoneNumber } from "./contact.ts";
import { freshCode } from "./phone.ts";

/** The handlers on people. */
export function humanHandlers(service: Service) {
  return {
    async importHumanUser(
      request: ImportHumanUserRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ImportHumanUserResponseSchema>> {
      const { organization } = callOf(context);
      const userId = service.newId();
      const link = passwordlessLink(service, request, userId, organization);
      const human = await newHuman(service, request, userId, context);
      const outcome = await service.execute({
        ...actorOf(context),
        writes: { user: { noun: user, id: userId, owner: organization } },
        relies: linkedIDPs(request),
        decide: (states, nowMs) => importHuman(states, { ...human, ...link?.recorded }, nowMs),
      });
      return {
        userId,
        details: createdDetails(written(outcome)),
        ...(link ? { passwordlessRegistration: link.answered } : {}),
      };
    },
  };
}

/**
 * The request as the domain sees it. Fields that break their rules end it before slow work, and so
 * does a caller who has gone.
 */
async function newHuman(
  service: Service,
  request: ImportHumanUserRequest,
  userId: string,
  context: HandlerContext,
): Promise<NewHuman> {
  const { keyring, random, passwords } = service;
  const phone = request.phone ? readPhoneNumber("phone.phone", request.phone.phone) : undefined;
  const otp = request.otpCode === "" ? undefined : readTotpSecret(request.otpCode);
  const given = addedOf(request, phone?.ok ? phone.number : undefined);
  const externalIDPs = request.idps.map(({ configId, externalUserId, displayName }) => ({
    idpId: configId,
    externalUserId,
    displayName,
  }));
  const violations: readonly Violation[] = [
    ...humanViolations({ added: given, externalIDPs }),
    ...languageViolations("profile.preferred_language", given.preferredLanguage),
    ...(phone === undefined || phone.ok ? [] : [phone.violation]),
    ...passwordViolations(request),
    ...(otp === undefined || otp.ok ? [] : [{ field: "otp_code", description: otp.reason }]),
  ];
  if (violations.length > 0) throw new Refused(invalidFields(violations));

  const stream = streamOf(user, userId);
  const passwordHash =
    request.password === ""
      ? request.hashedPassword?.value
      : await passwords.hashPassword(request.password, context.signal);
  return {
    organization: callOf(context).organization,
    added: { ...given, ...(passwordHash === undefined ? {} : { passwordHash }) },
    isEmailVerified: request.email?.isEmailVerified ?? false,
    isPhoneVerified: request.phone?.isPhoneVerified ?? false,
    ...(otp?.ok ? { otpSecret: keyring.seal(otp.secret, { stream, field: "otp.secret" }) } : {}),
    externalIDPs,
    initializationCode: keyring.seal(createCode(random), initializationCodePlace(userId)),
    phoneCode: freshCode(service, userId).code,
  };
}

/** Where the codes of initialization mails are sealed to. */
export function initializationCodePlace(userId: string) {
  return { stream: streamOf(user, userId), field: "initialization.code" };
}

/** The streams of the providers, under names that nothing else has, whatever their ids are. */
function linkedIDPs({ idps }: ImportHumanUserRequest) {
  const linked: { [stream: `idp-${string}`]: StreamRef<IDPState, IDPEvent> } = {};
  for (const { configId: id } of idps) linked[`idp-${id}`] = { noun: idp, id };
  return linked;
}

function addedOf(request: ImportHumanUserRequest, phone: string | undefined): HumanAdded {
  return {
    userName: request.userName,
    ...profileOf(request.profile),
    email: request.email?.email ?? "",
    ...(phone === undefined ? {} : { phone }),
    passwordChangeRequired: request.passwordChangeRequired,
  };
}

function profileOf(profile: ProfileRequest | undefined): Profile {
  const { firstName = "", lastName = "", nickName = "", displayName = "" } = profile ?? {};
  return {
    firstName,
    lastName,
    nickName,
    displayName: shownName({ firstName, lastName, displayName }),
    preferredLanguage: profile?.preferredLanguage ?? "",
    gender: genders[profile?.gender ?? Gender.UNSPECIFIED],
  };
}

function passwordViolations({
  password,
  hashedPassword,
}: ImportHumanUserRequest): readonly Violation[] {
  if (hashedPassword === undefined) return [];
  if (password !== "") {
    const description = "must be absent where a password is given: send one of the two";
    return [{ field: "hashed_password", description }];
  }
  const checked = checkHash(hashedPassword.value);
  return checked.ok ? [] : [{ field: "hashed_password.value", description: checked.reason }];
}

/**
 * The link with which a person registers a passkey, if it was asked for: what is recorded of it,
 * and what is answered. It is made from the configured address, never from what a request says.
 */
function passwordlessLink(
  { newId, random, publicUrl }: Service,
  { requestPasswordlessRegistration }: ImportHumanUserRequest,
  userId: string,
  organization: string,
) {
  if (!requestPasswordlessRegistration) return undefined;
  const codeId = newId();
  const code = createClientSecret(random);
  const query = new URLSearchParams({ userID: userId, orgID: organization, codeID: codeId, code });
  const lifetime = durationFromMs(codeLifetimesMs.passwordless);
  return {
    recorded: { passwordless: { codeId, codeHash: hashSecret(code) } },
    answered: {
      link: `${publicUrl()}/ui/passwordless/init?${query}`,
      lifetime,
      expiration: lifetime,
    },
  };
}

const genders: { readonly [gender in Gender]: Profile["gender"] } = {
  [Gender.UNSPECIFIED]: "UNSPECIFIED",
  [Gender.FEMALE]: "FEMALE",
  [Gender.MALE]: "MALE",
  [Gender.DIVERSE]: "DIVERSE",
};
