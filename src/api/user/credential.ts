import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AuthFactorState,
  PersonalAccessTokenSchema,
  WebAuthNTokenSchema,
} from "../../../gen/iam/user/v1/credential_pb.js";
import type { HeldToken } from "../../domain/user/credential/credential.ts";
import { isSpent } from "../../domain/user/human/state.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import type { Found } from "../../execute/read-object.ts";
import { callOf, refuse } from "../call.ts";
import { readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { listPage, matchIds, pageOf } from "../listing.ts";
import type { Service } from "../service.ts";

/** The handlers that show what lets somebody in as a user. */
export function credentialReadHandlers(service: Service) {
  /** The user of the organization, with what lists say of the moment that it was read at. */
  async function read(userId: string, context: HandlerContext) {
    const parents = [callOf(context).organization];
    const list = { parents, where: matchIds(user, [userId]) };
    const { objects, details } = await listPage(service, context, user, list, undefined);
    return { found: objects[0] ?? refuse("USER_NOT_FOUND"), details };
  }

  return {
    async listPersonalAccessTokens({ userId, query }, context) {
      const { found, details } = await read(userId, context);
      const tokens = Object.entries(found.state.tokens);
      const tokensShown = pageOf(tokens, query).map(([id, token]) => showToken(found, id, token));
      return { details: { ...details, totalResult: BigInt(tokens.length) }, result: tokensShown };
    },

    async listHumanPasswordless({ userId }, context) {
      const { passkeys = [], passwordless = [] } =
        (await read(userId, context)).found.state.human ?? {};
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
  } satisfies Handlers;
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
