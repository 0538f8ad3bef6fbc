import type { HandlerContext } from "@connectrpc/connect";
import type {
  ImportHumanUserRequest,
  ImportHumanUserRequest_Profile as ProfileRequest,
} from "../../../gen/iam/management/v1/human_pb.js";
import { Gender } from "../../../gen/iam/user/v1/user_pb.js";
import { type IDPEvent, type IDPState, idp } from "../../domain/idp.ts";
import { streamOf } from "../../domain/noun.ts";
import type { CodeEvent } from "../../domain/user/delivery.ts";
import {
  checkHuman,
  codesNeeded,
  completeName,
  type GivenHuman,
  importHuman,
  type NewHuman,
} from "../../domain/user/human.ts";
import type { Profile } from "../../domain/user/human-event.ts";
import { weighPassword } from "../../domain/user/password.ts";
import { user } from "../../domain/user/user.ts";
import type { StreamRef } from "../../execute/command.ts";
import { checkNewHash } from "../../secrets/passwords/encoded.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import { readTotpSecret, type TotpSecret } from "../../secrets/totp.ts";
import { actorOf, callOf, Refused, viaOfCall } from "../call.ts";
import { createdDetails } from "../details.ts";
import { enumNames } from "../enum.ts";
import type { Handlers } from "../handlers.ts";
import { confirmCaller, requireAnswer, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { freshPasskeyLink } from "./invitation.ts";
import { readPhoneNumber } from "./phone-number.ts";

/** The handlers on people. */
export function humanHandlers(service: Service) {
  return {
    async importHumanUser(request, context) {
      const { organization } = callOf(context);
      const userId = service.newId();
      const made = request.requestPasswordlessRegistration
        ? freshPasskeyLink(service, userId, organization)
        : undefined;
      const human = await prepareHuman(service, request, userId, context);
      const recorded = made === undefined ? {} : { passwordless: made.recorded };
      const outcome = await service.execute({
        ...actorOf(context),
        writes: { user: { noun: user, id: userId, owner: organization, isNew: true } },
        relies: linkedIDPs(request),
        decide: (states, nowMs) => importHuman(states, { ...human, ...recorded }, nowMs),
        answer: (written) => ({
          userId,
          details: createdDetails(written),
          ...(made ? { passwordlessRegistration: registrationOf(made) } : {}),
        }),
      });
      return requireAnswer(outcome);
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
  const { keyring, passwords } = service;
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
    ...viaOfCall(context),
    organization: callOf(context).organization,
    ...(passwordHash === undefined ? {} : { passwordHash }),
    isEmailVerified: request.email?.isEmailVerified ?? false,
    isPhoneVerified: request.phone?.isPhoneVerified ?? false,
    ...(otp?.ok ? { otpSecret: keyring.seal(otp.secret, { stream, field: "otp.secret" }) } : {}),
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
  const email = request.email?.email ?? "";
  const added = { userName, ...readProfile(request.profile), email, passwordChangeRequired };
  return {
    added,
    ...(phone ? { phone: { number: await readPhoneNumber(phone.phone) } } : {}),
    ...(password === "" ? {} : { password: weighPassword(password, added, await readPopular()) }),
    ...(hashedPassword ? { hashedPassword: checkNewHash(hashedPassword.value) } : {}),
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

/** A link as the answer has it, in two fields. */
function registrationOf({ link, expiration }: ReturnType<typeof freshPasskeyLink>) {
  return { link, lifetime: expiration, expiration };
}

/** The genders of people. */
export const genders = enumNames(Gender, "");
