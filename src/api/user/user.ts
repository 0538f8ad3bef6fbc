import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddMachineUserRequest,
  AddMachineUserResponseSchema,
  AddPersonalAccessTokenRequest,
  AddPersonalAccessTokenResponseSchema,
  RemovePersonalAccessTokenRequest,
  RemovePersonalAccessTokenResponseSchema,
} from "../../../gen/iam/management/v1/user_pb.js";
import { AccessTokenType } from "../../../gen/iam/user/v1/user_pb.js";
import { addMachineUser } from "../../domain/user/machine.ts";
import { addToken, removeToken } from "../../domain/user/token.ts";
import { activeOwners, type AccessTokenType as TokenType, user } from "../../domain/user/user.ts";
import { createToken, hashSecret } from "../../secrets/tokens.ts";
import { actorOf, callOf } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import { type Service, written } from "../service.ts";

/** The handlers on users and their tokens. */
export function userHandlers({ execute, newId, random }: Service) {
  return {
    async addMachineUser(
      request: AddMachineUserRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddMachineUserResponseSchema>> {
      const { organization } = callOf(context);
      const { userName, name, description } = request;
      const accessTokenType = accessTokenTypes[request.accessTokenType];
      const userId = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { user: { noun: user, id: userId, owner: organization } },
        relies: {},
        decide: () => addMachineUser({ userName, name, description, accessTokenType }),
      });
      return { userId, details: createdDetails(written(outcome)) };
    },

    async addPersonalAccessToken(
      { userId, expirationDate }: AddPersonalAccessTokenRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddPersonalAccessTokenResponseSchema>> {
      const { organization } = callOf(context);
      const tokenId = newId();
      const token = createToken(random);
      const tokenHash = hashSecret(token);
      const expiration = expirationDate ? { expirationMs: wholeMs(expirationDate) } : {};
      const outcome = await execute({
        ...actingOn(userId, context),
        decide: (states, nowMs) =>
          addToken(states, { organization, tokenId, tokenHash, ...expiration }, nowMs),
      });
      return { tokenId, token, details: createdDetails(written(outcome)) };
    },

    async removePersonalAccessToken(
      { userId, tokenId }: RemovePersonalAccessTokenRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof RemovePersonalAccessTokenResponseSchema>> {
      const { organization } = callOf(context);
      const outcome = await execute({
        ...actingAmongOwners(userId, context),
        decide: (states) => removeToken(states, { organization, tokenId }),
      });
      return { details: changedDetails(written(outcome)) };
    },
  };
}

/** A command that writes to a user: what the caller may is decided on what both are by then. */
export function actingOn(userId: string, context: HandlerContext) {
  const { caller } = callOf(context);
  return {
    ...actorOf(context),
    writes: { user: { noun: user, id: userId } },
    relies: { caller: { noun: user, id: caller.userId } },
  };
}

/** As `actingOn`, where it counts how many active owners the instance has. */
export function actingAmongOwners(userId: string, context: HandlerContext) {
  return { ...actingOn(userId, context), groups: { owners: { noun: user, ...activeOwners } } };
}

/** A time in whole Unix milliseconds, rounded down: nothing lasts longer than was asked for. */
function wholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}

const accessTokenTypes: { readonly [type in AccessTokenType]: TokenType } = {
  [AccessTokenType.BEARER]: "BEARER",
  [AccessTokenType.JWT]: "JWT",
};
