import type { HandlerContext } from "@connectrpc/connect";
import type {
  DeactivateUserRequest,
  ReactivateUserRequest,
  RemoveUserRequest,
} from "../../../gen/iam/management/v1/user_change_pb.js";
import type { UserDecision } from "../../domain/user/acting.ts";
import {
  type ActingAmongOwners,
  deactivateUser,
  reactivateUser,
  removeUser,
} from "../../domain/user/status.ts";
import { callOf } from "../call.ts";
import { changedDetails } from "../details.ts";
import { type Service, written } from "../service.ts";
import { actingAmongOwners } from "./user.ts";

/** The handlers that take users out of use, bring them back and remove them. */
export function userChangeHandlers({ execute }: Service) {
  async function change(
    id: string,
    context: HandlerContext,
    decide: (acting: ActingAmongOwners, place: { readonly organization: string }) => UserDecision,
  ) {
    const { organization } = callOf(context);
    const outcome = await execute({
      ...actingAmongOwners(id, context),
      decide: (states) => decide(states, { organization }),
    });
    return { details: changedDetails(written(outcome)) };
  }

  return {
    deactivateUser: ({ id }: DeactivateUserRequest, context: HandlerContext) =>
      change(id, context, deactivateUser),

    reactivateUser: ({ id }: ReactivateUserRequest, context: HandlerContext) =>
      change(id, context, reactivateUser),

    removeUser: ({ id }: RemoveUserRequest, context: HandlerContext) =>
      change(id, context, removeUser),
  };
}
