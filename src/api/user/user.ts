import type { HandlerContext } from "@connectrpc/connect";
import { AccessTokenType } from "../../../gen/iam/user/v1/user_pb.js";
import type { ObjectDetails } from "../../../gen/iam/v1/object_pb.js";
import { logout } from "../../domain/logout.ts";
import { updateMachine, updateUserName } from "../../domain/user/change.ts";
import { removeSecret, setSecret } from "../../domain/user/credential/secret.ts";
import { addToken, removeToken } from "../../domain/user/credential/token.ts";
import { removeOrErase } from "../../domain/user/erasure-request.ts";
import { addMachineUser } from "../../domain/user/machine.ts";
import type {
  ActedUser,
  ActingAmongOwners,
  EndingDecision,
} from "../../domain/user/state/acting.ts";
import { ownersInUse, type UserState, user } from "../../domain/user/state/user.ts";
import {
  deactivateUser,
  lockUser,
  type RemovalDecision,
  reactivateUser,
  unlockUser,
} from "../../domain/user/status.ts";
import type { Written } from "../../execute/command.ts";
import { userRemoval } from "../../execute/user-removal.ts";
import { createClientSecret, createToken, hashSecret } from "../../secrets/tokens.ts";
import { callOf, viaOfCall } from "../call.ts";
import { decideWhole } from "../changing.ts";
import { changedDetails, createdDetails } from "../details.ts";
import { enumNames } from "../enum.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { toWholeMs } from "../time.ts";

/**
 * Changes a user of the organization that the call acts on, and has applications told of sessions
 * that end by it. Throws `Refused` where the decision is a refusal.
 */
export async function changeUser<Answer = { details: ObjectDetails }>(
  service: Pick<Service, "execute" | "newId">,
  id: string,
  context: HandlerContext,
  decide: (acting: ActingAmongOwners, acted: ActedUser, nowMs: number) => EndingDecision,
  answer?: (written: Written) => Answer,
) {
  const { organization: owner } = callOf(context);
  return await perform(service, context, {
    ...actingAmongOwners(id, context),
    begins: { logouts: { noun: logout, owner, newId: service.newId } },
    decide: (states, nowMs) => decide(states, { organization: owner, userId: id }, nowMs),
    ...(answer && { answer }),
  });
}

/** The handlers on users of either kind and on their tokens. */
export function userHandlers(service: Service) {
  const { newId, random } = service;
  const change = (id: string, context: HandlerContext, decide: Parameters<typeof changeUser>[3]) =>
    changeUser(service, id, context, decide);

  return {
    deactivateUser: ({ id }, context) => change(id, context, deactivateUser),
    reactivateUser: ({ id }, context) => change(id, context, reactivateUser),
    lockUser: ({ id }, context) => change(id, context, lockUser),
    unlockUser: ({ id }, context) => change(id, context, unlockUser),
    removeUser: ({ id }, context) => removeWhole(service, id, context, removeOrErase),

    async addMachineUser(request, context) {
      const { organization } = callOf(context);
      const { userName, name, description } = request;
      const accessTokenType = accessTokenTypes.read(request.accessTokenType);
      const userId = newId();
      return await perform(service, context, {
        writes: { user: { noun: user, id: userId, owner: organization, isNew: true } },
        decide: () => addMachineUser({ userName, name, description, accessTokenType }),
        answer: (written) => ({ userId, details: createdDetails(written) }),
      });
    },

    updateUserName: ({ userId, userName }, context) =>
      change(userId, context, (states, acted) => updateUserName(states, acted, userName)),

    updateMachine: (request, context) =>
      change(request.userId, context, (states, acted) => {
        const before = states.user?.machine;
        return decideWhole(request, context, before && showMachine(before), (whole) => {
          const { name, description } = whole;
          const accessTokenType = accessTokenTypes.read(whole.accessTokenType);
          return updateMachine(states, acted, { name, description, accessTokenType });
        });
      }),

    async generateMachineSecret({ userId }, context) {
      const { organization } = callOf(context);
      const clientSecret = createClientSecret(random);
      const clientSecretHash = hashSecret(clientSecret);
      const input = { organization, clientSecretHash, ...viaOfCall(context) };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states) => setSecret(states, input),
        // Nobody chooses the id of a user, so no machine is taken for another client.
        answer: (written) => ({
          clientId: userId,
          clientSecret,
          details: changedDetails(written),
        }),
      });
    },

    removeMachineSecret: ({ userId }, context) => change(userId, context, removeSecret),

    async addPersonalAccessToken({ userId, expirationDate }, context) {
      const { organization } = callOf(context);
      const tokenId = newId();
      const token = createToken(random);
      const tokenHash = hashSecret(token);
      const expiration = expirationDate ? { expirationMs: toWholeMs(expirationDate) } : {};
      const input = { organization, tokenId, tokenHash, ...expiration, ...viaOfCall(context) };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => addToken(states, input, nowMs),
        answer: (written) => ({ tokenId, token, details: createdDetails(written) }),
      });
    },

    removePersonalAccessToken: ({ userId, tokenId }, context) =>
      change(userId, context, (states, acted) => removeToken(states, { ...acted, tokenId })),
  } satisfies Handlers;
}

/**
 * Removes a user with all that goes with it; where a version is given, as of that. Throws `Refused`
 * as `changeUser` does.
 */
export async function removeWhole(
  service: Pick<Service, "execute" | "newId">,
  userId: string,
  context: HandlerContext,
  decide: (acting: ActingAmongOwners, acted: ActedUser, nowMs: number) => RemovalDecision,
  version?: number,
) {
  const { organization } = callOf(context);
  const { groups, ...acting } = actingAmongOwners(userId, context);
  const removal = userRemoval({ userId, owner: organization, newId: service.newId, version });
  return await perform(service, context, {
    ...acting,
    ...removal,
    groups: { ...groups, ...removal.groups },
    decide: (states, nowMs) => decide(states, { organization, userId }, nowMs),
  });
}

/** The part of a command on a user that lets what the caller may be decided on both as they are. */
export function actingOn(userId: string, context: HandlerContext) {
  const { caller } = callOf(context);
  return {
    writes: { user: { noun: user, id: userId } },
    relies: { caller: { noun: user, id: caller.userId } },
  };
}

/** As `actingOn`, where it counts how many active owners the instance has. */
export function actingAmongOwners(userId: string, context: HandlerContext) {
  return { ...actingOn(userId, context), groups: { owners: { noun: user, ...ownersInUse } } };
}

/** What is known of a machine, as it is shown. */
export function showMachine(machine: UserState["machine"]) {
  const { name = "", description = "", accessTokenType = "BEARER" } = machine ?? {};
  return { name, description, accessTokenType: accessTokenTypes.show(accessTokenType) };
}

/** The forms of access tokens. */
const accessTokenTypes = enumNames(AccessTokenType, "");
