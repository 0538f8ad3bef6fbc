import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  ImportHumanUserRequest,
  ImportHumanUserRequest_Profile as ProfileRequest,
} from "../../../gen/iam/management/v1/human_pb.js";
import { Gender } from "../../../gen/iam/user/v1/user_pb.js";
import { type IDPEvent, type IDPState, idp } from "../../domain/idp.ts";
import { streamOf } from "../../domain/noun.ts";
import { placeOfCode } from "../../domain/user/code.ts";
import {
  checkHuman,
  codesNeeded,
  completeName,
  type GivenHuman,
  importHuman,
  type NewHuman,
} from "../../domain/user/human.ts";
import { codeLifetimesMs, type Profile } from "../../domain/user/human-state.ts";
import { user } from "../../domain/user/user.ts";
import type { StreamRef } from "../../execute/command.ts";
import { createCode } from "../../secrets/codes.ts";
import { checkHash } from "../../secrets/passwords/encoded.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { readTotpSecret, type TotpSecret } from "../../secrets/totp.ts";
import { actorOf, callOf, Refused } from "../call.ts";
import { createdDetails } from "../details.ts";
import { enumNames } from "../enum.ts";
import type { Handlers } from "../handlers.ts";
import { confirmCaller, requireWritten, type Service } from "../service.ts";
import { freshCode } from "./phone.ts";
import { readPhoneNumber } from "./phone-number.ts";

/** The handlers on people. */
export function humanHandlers(service: Service) {
  return {
    async importHumanUser(request, context) {
      const { organization } = callOf(context);
      const userId = service.newId();
      const link = passwordlessLink(service, request, userId, organization);
      const human = await prepareHuman(service, request, userId, context);
      const outcome = await service.execute({
        ...actorOf(context),
        writes: { user: { noun: user, id: userId, owner: organization, isNew: true } },
        relies: linkedIDPs(request),
        decide: (states, nowMs) => importHuman(states, { ...human, ...link?.recorded }, nowMs),
      });
      return {
        userId,
        details: createdDetails(requireWritten(outcome)),
        ...(link ? { passwordlessRegistration: link.answered } : {}),
      };
    },
  } satisfies Handlers;
}

/**
 * Checks the person of a request, and then does what is slow or random for it. Fields that break
 * their rules end it before that, and so does a caller who has gone.
 */
async function prepareHuman(
  service: Service,
  request: ImportHumanUserRequest,
  userId: string,
  context: HandlerContext,
): Promise<NewHuman> {
  const { keyring, random, passwords } = service;
  const otp = request.otpCode === "" ? undefined : readTotpSecret(request.otpCode);
  const checked = checkHuman(await readHuman(request, otp));
  if ("rejection" in checked) throw new Refused(checked.rejection);

  const stream = streamOf(user, userId);
  if (request.password !== "") await confirmCaller(service, context);
  const passwordHash =
    request.password === ""
      ? request.hashedPassword?.value
      : await passwords.hashPassword(request.password, context.signal);
  const human = {
    ...checked.human,
    organization: callOf(context).organization,
    ...(passwordHash === undefined ? {} : { passwordHash }),
    isEmailVerified: request.email?.isEmailVerified ?? false,
    isPhoneVerified: request.phone?.isPhoneVerified ?? false,
    ...(otp?.ok ? { otpSecret: keyring.seal(otp.secret, { stream, field: "otp.secret" }) } : {}),
  };
  const needed = codesNeeded(human);
  const initialization = placeOfCode("user.human.initialization.code.added", userId);
  return {
    ...human,
    ...(needed.initialization
      ? { initializationCode: keyring.seal(createCode(random), initialization) }
      : {}),
    ...(needed.phone ? { phoneCode: freshCode(service, userId).code } : {}),
  };
}

/** The streams of the providers, under names that nothing else has, whatever their ids are. */
function linkedIDPs({ idps }: ImportHumanUserRequest) {
  const linked: { [stream: `idp-${string}`]: StreamRef<IDPState, IDPEvent> } = {};
  for (const { configId: id } of idps) linked[`idp-${id}`] = { noun: idp, id };
  return linked;
}

async function readHuman(
  request: ImportHumanUserRequest,
  otpCode: TotpSecret | undefined,
): Promise<GivenHuman> {
  const { userName, passwordChangeRequired, phone, password, hashedPassword } = request;
  return {
    added: {
      userName,
      ...readProfile(request.profile),
      email: request.email?.email ?? "",
      passwordChangeRequired,
    },
    ...(phone ? { phone: { number: await readPhoneNumber(phone.phone) } } : {}),
    hasPassword: password !== "",
    ...(hashedPassword ? { hashedPassword: checkHash(hashedPassword.value) } : {}),
    ...(otpCode ? { otpCode } : {}),
    externalIDPs: request.idps.map(({ configId, externalUserId, displayName }) => ({
      idpId: configId,
      externalUserId,
      displayName,
    })),
  };
}

function readProfile(profile: ProfileRequest | undefined): Profile {
  const { firstName = "", lastName = "", nickName = "", displayName = "" } = profile ?? {};
  return {
    firstName,
    lastName,
    nickName,
    displayName: completeName({ firstName, lastName, displayName }),
    preferredLanguage: profile?.preferredLanguage ?? "",
    gender: genders.read(profile?.gender ?? Gender.UNSPECIFIED),
  };
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

/** The genders of people. */
export const genders = enumNames(Gender, "");
