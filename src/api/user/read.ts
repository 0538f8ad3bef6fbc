import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  GetUserByIDRequest,
  GetUserByIDResponseSchema,
  ListUsersRequest,
  ListUsersResponseSchema,
} from "../../../gen/iam/management/v1/user_search_pb.js";
import { UserFieldName } from "../../../gen/iam/user/v1/search_pb.js";
import {
  AccessTokenType,
  Gender,
  type Human,
  HumanSchema,
  MachineSchema,
  type User,
  UserSchema,
  UserState,
} from "../../../gen/iam/user/v1/user_pb.js";
import { userNotFound } from "../../domain/user/acting.ts";
import type { HumanState } from "../../domain/user/human-state.ts";
import { type UserState as State, statusOf, user } from "../../domain/user/user.ts";
import { callOf, refusalOf } from "../call.ts";
import { readDetails } from "../details.ts";
import { type Found, findObject, listPage } from "../listing.ts";
import type { Service } from "../service.ts";
import { userFilter } from "./query.ts";

/** The handlers that read users. */
export function userReadHandlers(service: Service) {
  return {
    async getUserByID(
      { id }: GetUserByIDRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof GetUserByIDResponseSchema>> {
      const found = await findObject(service, user, id);
      if (found?.state.organization !== callOf(context).organization) {
        throw refusalOf(userNotFound());
      }
      return { user: userOf(found) };
    },

    async listUsers(
      { query, queries, sortingColumn }: ListUsersRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ListUsersResponseSchema>> {
      const { organization } = callOf(context);
      const sortBy = columns[sortingColumn];
      const { details, objects } = await listPage(
        service,
        user,
        { parents: [organization], where: userFilter(queries), ...(sortBy ? { sortBy } : {}) },
        query,
      );
      return { details, sortingColumn, result: objects.map(userOf) };
    },
  };
}

function userOf({ id, stored, state }: Found<State>): User {
  const { userName, human, machine } = state;
  return create(UserSchema, {
    id,
    details: readDetails(stored),
    state: UserState[statusOf(state)],
    userName,
    loginNames: [userName],
    preferredLoginName: userName,
    type:
      human === undefined
        ? { case: "machine", value: machineOf(machine) }
        : { case: "human", value: humanOf(human) },
  });
}

function machineOf(machine: State["machine"]) {
  const { name = "", description = "", accessTokenType = "BEARER" } = machine ?? {};
  return create(MachineSchema, {
    name,
    description,
    // Machine users have tokens, which are no secret of the kind that is meant.
    hasSecret: false,
    accessTokenType: AccessTokenType[accessTokenType],
  });
}

function humanOf(human: HumanState): Human {
  const { email, isEmailVerified, phone, passwordChangedMs, gender, ...names } = human;
  const { firstName, lastName, nickName, displayName, preferredLanguage } = names;
  return create(HumanSchema, {
    profile: {
      ...{ firstName, lastName, nickName, displayName, preferredLanguage },
      gender: Gender[gender],
    },
    email: { email, isEmailVerified },
    ...(phone ? { phone: { phone: phone.number, isPhoneVerified: phone.isVerified } } : {}),
    ...(passwordChangedMs === undefined
      ? {}
      : { passwordChanged: timestampFromMs(passwordChangedMs) }),
  });
}

/** The field of a row by which a column sorts; by creation where there is none. */
const columns: { readonly [column in UserFieldName]: string | undefined } = {
  [UserFieldName.UNSPECIFIED]: undefined,
  [UserFieldName.USER_NAME]: "userName",
  [UserFieldName.FIRST_NAME]: "firstName",
  [UserFieldName.LAST_NAME]: "lastName",
  [UserFieldName.NICK_NAME]: "nickName",
  [UserFieldName.DISPLAY_NAME]: "displayName",
  [UserFieldName.EMAIL]: "email",
  [UserFieldName.STATE]: "state",
  [UserFieldName.TYPE]: "type",
  [UserFieldName.CREATION_DATE]: undefined,
};
