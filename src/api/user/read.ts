import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { UserFieldName } from "../../../gen/iam/user/v1/search_pb.js";
import { HumanSchema, UserSchema } from "../../../gen/iam/user/v1/user_pb.js";
import type { HumanState } from "../../domain/user/state/login-state.ts";
import {
  lockedUntil,
  type UserState as State,
  statusOf,
  user,
} from "../../domain/user/state/user.ts";
import { type Found, readObject } from "../../execute/read-object.ts";
import { callOf, refuse } from "../call.ts";
import { readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { listPage } from "../listing.ts";
import type { Service } from "../service.ts";
import { showProfile } from "./human.ts";
import { readUserQueries, userStates } from "./query.ts";
import { showMachine } from "./user.ts";

/** The handlers that read users. */
export function userReadHandlers(service: Service) {
  return {
    async getUserByID({ id }, context) {
      const found = await readObject(service.store, user, id);
      if (found?.state.organization !== callOf(context).organization) refuse("USER_NOT_FOUND");
      return { user: showUser(found, service.now()) };
    },

    async listUsers({ query, queries, sortingColumn }, context) {
      const sortBy = columns[sortingColumn];
      const nowMs = service.now();
      const list = {
        parents: [callOf(context).organization],
        where: readUserQueries(queries, nowMs),
        ...(sortBy === undefined ? {} : { sortBy }),
      };
      const { details, objects } = await listPage(service, context, user, list, query);
      return { details, sortingColumn, result: objects.map((found) => showUser(found, nowMs)) };
    },
  } satisfies Handlers;
}

/** A user as it is shown. */
export function showUser({ id, stored, state }: Found<State>, nowMs: number) {
  const { userName, human, erasure } = state;
  const untilMs = lockedUntil(state, nowMs);
  const hasSecret = state.clientSecret !== undefined;
  return create(UserSchema, {
    id,
    details: readDetails(stored),
    state: userStates.show(untilMs === undefined ? statusOf(state) : "LOCKED"),
    ...(untilMs === undefined ? {} : { lockedUntil: timestampFromMs(untilMs) }),
    ...(erasure === undefined ? {} : { erasureDate: timestampFromMs(erasure.dueMs) }),
    userName,
    loginNames: [userName],
    preferredLoginName: userName,
    type:
      human === undefined
        ? { case: "machine", value: { ...showMachine(state.machine), hasSecret } }
        : { case: "human", value: showHuman(human) },
  });
}

function showHuman(human: HumanState) {
  const { email, isEmailVerified, phone, passwordChangedMs } = human;
  return create(HumanSchema, {
    profile: showProfile(human),
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
