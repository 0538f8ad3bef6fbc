import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { codeFieldOf, linkToPage } from "../../domain/user/credential/code.ts";
import {
  addPasskeyLink,
  resendInitialization,
  sendPasskeyLink,
} from "../../domain/user/credential/invitation.ts";
import { codeLifetimesMs } from "../../domain/user/state/human-state.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { callOf, viaOfCall } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { actingOn } from "./user.ts";

/** The handlers that help people in, once more. */
export function invitationHandlers(service: Service) {
  return {
    async resendHumanInitialization({ userId, email }, context) {
      const { organization } = callOf(context);
      const { code } = freshCode(service, "user.human.initialization.code.added", userId);
      const input = { organization, email, ...viaOfCall(context) };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states) => resendInitialization(states, { ...input, code }),
      });
    },

    async addPasswordlessRegistration({ userId }, context) {
      const { organization } = callOf(context);
      const { recorded, link, expiration } = freshPasskeyLink(service, userId, organization);
      const input = { organization, ...recorded, ...viaOfCall(context) };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => addPasskeyLink(states, input, nowMs),
        answer: (written) => ({ details: createdDetails(written), link, expiration }),
      });
    },

    async sendPasswordlessRegistration({ userId }, context) {
      const { organization } = callOf(context);
      const input = { organization, ...freshMailedLink(service, userId) };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => sendPasskeyLink(states, input, nowMs),
      });
    },
  } satisfies Handlers;
}

/** What is recorded of a link with which a person registers a passkey, and which is mailed. */
function freshMailedLink({ newId, random, keyring }: Service, userId: string) {
  const code = createClientSecret(random);
  const sealedField = codeFieldOf("user.human.passwordless.link.added", userId);
  return { codeId: newId(), codeHash: hashSecret(code), code: keyring.seal(code, sealedField) };
}

/** A link with which a person registers a passkey: what is recorded of it, and what is answered. */
export function freshPasskeyLink(
  { newId, random, publicUrl }: Service,
  userId: string,
  organization: string,
) {
  const codeId = newId();
  const code = createClientSecret(random);
  const link = { publicUrl: publicUrl(), userId, organization, codeId, code };
  return {
    recorded: { codeId, codeHash: hashSecret(code) },
    link: linkToPage("passwordless/init", link),
    expiration: durationFromMs(codeLifetimesMs.passwordless),
  };
}
