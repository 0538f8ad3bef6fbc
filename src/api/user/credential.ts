import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type SendHumanResetPasswordNotificationRequest,
  SendHumanResetPasswordNotificationRequest_Type,
} from "../../../gen/iam/management/v1/credential_change_pb.js";
import {
  AuthFactorState,
  PersonalAccessTokenSchema,
  WebAuthNTokenSchema,
} from "../../../gen/iam/user/v1/credential_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import { removeOTP, removePasskey } from "../../domain/user/credential/removal.ts";
import { checkPassword, setPassword } from "../../domain/user/credential/set-password.ts";
import { sendReset } from "../../domain/user/login/reset.ts";
import type { HeldToken } from "../../domain/user/state/credential.ts";
import { isSpent } from "../../domain/user/state/human-state.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import type { Found } from "../../execute/read-object.ts";
import { createClientSecret } from "../../secrets/tokens.ts";
import { actorOf, callOf, refuse, viaOfCall } from "../call.ts";
import { readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { listPage, matchIds, pageOf } from "../listing.ts";
import { requireDone, type Service } from "../service.ts";
import { actingOn, changeUser } from "./user.ts";

/** A user of the organization of the call, with what lists say of when it was read. */
export async function readUser(service: Service, userId: string, context: HandlerContext) {
  const parents = [callOf(context).organization];
  const list = { parents, where: matchIds(user, [userId]) };
  const { objects, details } = await listPage(service, context, user, list, undefined);
  return { found: objects[0] ?? refuse("USER_NOT_FOUND"), details };
}

/** The handlers on what lets somebody in as a user: they show it, and take it away. */
export function credentialHandlers(service: Service) {
  return {
    async listPersonalAccessTokens({ userId, query }, context) {
      const { found, details } = await readUser(service, userId, context);
      const tokens = Object.entries(found.state.tokens);
      const tokensShown = pageOf(tokens, query).map(([id, token]) => showToken(found, id, token));
      return { details: { ...details, totalResult: BigInt(tokens.length) }, result: tokensShown };
    },

    async listHumanPasswordless({ userId }, context) {
      const { passkeys = [], passwordless = [] } =
        (await readUser(service, userId, context)).found.state.human ?? {};
      const links = passwordless.filter((link) => !isSpent(link, service.now()));
      return {
        result: [
          ...passkeys.map(({ credentialId: id, name, maker }) =>
            create(WebAuthNTokenSchema, { id, name, maker, state: AuthFactorState.READY }),
          ),
          ...links.map(({ codeId: id, maker }) =>
            create(WebAuthNTokenSchema, { id, maker, state: AuthFactorState.NOT_READY }),
          ),
        ],
      };
    },

    removeHumanPasswordless: ({ userId, tokenId }, context) =>
      changeUser(service, userId, context, (states, acted, nowMs) =>
        removePasskey(states, { ...acted, tokenId }, nowMs),
      ),

    removeHumanAuthFactorOTP: ({ userId }, context) =>
      changeUser(service, userId, context, removeOTP),

    async setHumanPassword({ userId, password, noChangeRequired }, context) {
      const { organization } = callOf(context);
      const chosen = { organization, userId, password };
      const check = await service.execute({
        ...{ ...actorOf(context), ...actingOn(userId, context) },
        decide: (states) => checkPassword(states, chosen),
      });
      requireDone(check);
      const passwordHash = await service.passwords.hashPassword(password, {
        signal: context.signal,
      });
      const set = { passwordHash, changeRequired: !noChangeRequired, ...viaOfCall(context) };
      return await changeUser(service, userId, context, (states, _acted, nowMs) =>
        setPassword(states, { ...chosen, ...set }, nowMs),
      );
    },

    async sendHumanResetPasswordNotification({ userId }, context) {
      const { keyring, random } = service;
      // Nobody counts wrong ones, so it is one that is never guessed.
      const sealedField = codeFieldOf("user.human.password.code.added", userId);
      const code = keyring.seal(createClientSecret(random), sealedField);
      return await changeUser(service, userId, context, (states, acted, nowMs) =>
        sendReset(states, { ...acted, code }, nowMs),
      );
    },
  } satisfies Handlers;
}

/** The broken rules of how a person is reached who is to replace the password. */
export function resetViolations({
  type,
}: SendHumanResetPasswordNotificationRequest): readonly Violation[] {
  if (type === SendHumanResetPasswordNotificationRequest_Type.EMAIL) return [];
  return [{ field: "type", description: "must be TYPE_EMAIL: no SMS is sent for this" }];
}

function showToken(
  { stored }: Found<UserState>,
  id: string,
  { addedMs, expirationMs, maker }: HeldToken,
) {
  return create(PersonalAccessTokenSchema, {
    id,
    maker,
    details: readDetails({ ...stored, createdMs: addedMs, changedMs: addedMs }),
    ...(expirationMs === undefined ? {} : { expirationDate: timestampFromMs(expirationMs) }),
  });
}
