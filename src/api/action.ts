import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type Action,
  ActionFieldName,
  ActionSchema,
  ActionState,
} from "../../gen/iam/action/v1/action_pb.js";
import type {
  DeactivateActionRequest,
  DeleteActionRequest,
  ReactivateActionRequest,
} from "../../gen/iam/management/v1/action_change_pb.js";
import type {
  CreateActionRequest,
  CreateActionResponseSchema,
} from "../../gen/iam/management/v1/action_pb.js";
import type {
  ActionQuery,
  GetActionRequest,
  GetActionResponseSchema,
  ListActionsRequest,
  ListActionsResponseSchema,
} from "../../gen/iam/management/v1/action_search_pb.js";
import {
  action,
  actionNotFound,
  createAction,
  removeAction,
  type ActionState as State,
  switchAction,
  timeoutNanosDefault,
} from "../domain/action.ts";
import { streamOf } from "../domain/noun.ts";
import type { Filter } from "../store/query.ts";
import { actorOf, callOf, refusalOf } from "./call.ts";
import { changedDetails, createdDetails, readDetails } from "./details.ts";
import { durationOf, nanosOf } from "./duration.ts";
import {
  allOf,
  type Found,
  findObject,
  listPage,
  oneOf,
  textFilter,
  unknownQuery,
} from "./listing.ts";
import { scriptViolations } from "./script.ts";
import { type Service, written } from "./service.ts";

/** The handlers on actions. */
export function actionHandlers(service: Service) {
  const { execute, newId } = service;

  async function switched(id: string, isInactive: boolean, context: HandlerContext) {
    const { organization } = callOf(context);
    const outcome = await execute({
      ...actorOf(context),
      writes: { action: { noun: action, id } },
      relies: {},
      decide: (states) => switchAction(states.action, { organization, isInactive }),
    });
    return { details: changedDetails(written(outcome)) };
  }

  return {
    deactivateAction: ({ id }: DeactivateActionRequest, context: HandlerContext) =>
      switched(id, true, context),

    reactivateAction: ({ id }: ReactivateActionRequest, context: HandlerContext) =>
      switched(id, false, context),

    async deleteAction({ id }: DeleteActionRequest, context: HandlerContext) {
      const { organization } = callOf(context);
      const outcome = await execute({
        ...actorOf(context),
        writes: { action: { noun: action, id } },
        relies: {},
        decide: (states) => removeAction(states.action, { organization }),
      });
      written(outcome);
      return {};
    },

    async getAction(
      { id }: GetActionRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof GetActionResponseSchema>> {
      const found = await findObject(service, action, id);
      if (found?.state.organization !== callOf(context).organization) {
        throw refusalOf(actionNotFound());
      }
      return { action: actionOf(found) };
    },

    async listActions(
      { query, queries, sortingColumn }: ListActionsRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ListActionsResponseSchema>> {
      const sortBy = columns[sortingColumn];
      const list = {
        parents: [callOf(context).organization],
        where: allOf(queries.map(filterOf)),
        ...(sortBy === undefined ? {} : { sortBy }),
      };
      const { details, objects } = await listPage(service, action, list, query);
      return { details, sortingColumn, result: objects.map(actionOf) };
    },

    async createAction(
      { name, script, timeout, allowedToFail }: CreateActionRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof CreateActionResponseSchema>> {
      const { organization } = callOf(context);
      const id = newId();
      const timeoutNanos = timeout === undefined ? timeoutNanosDefault : nanosOf(timeout);
      const violations = scriptViolations("script", script);
      const outcome = await execute({
        ...actorOf(context),
        writes: { action: { noun: action, id, owner: organization } },
        relies: {},
        decide: () => createAction({ name, script, timeoutNanos, allowedToFail }, violations),
      });
      return { id, details: createdDetails(written(outcome)) };
    },
  };
}

function actionOf({ id, stored, state }: Found<State>): Action {
  const { name, script, timeoutNanos, allowedToFail, isInactive } = state;
  return create(ActionSchema, {
    id,
    details: readDetails(stored),
    state: isInactive ? ActionState.INACTIVE : ActionState.ACTIVE,
    name,
    script,
    timeout: durationOf(timeoutNanos),
    allowedToFail,
  });
}

function filterOf({ query }: ActionQuery): Filter {
  switch (query.case) {
    case "actionIdQuery":
      return { kind: "streams", streams: [streamOf(action, query.value.id)] };
    case "actionNameQuery":
      return textFilter("name", query.value.name, query.value.method);
    case "actionStateQuery":
      return oneOf("state", [ActionState[query.value.state]]);
    default:
      throw unknownQuery();
  }
}

/** The field of a row by which a column sorts; ids are in the order of creation. */
const columns: { readonly [column in ActionFieldName]: string | undefined } = {
  [ActionFieldName.UNSPECIFIED]: undefined,
  [ActionFieldName.NAME]: "name",
  [ActionFieldName.ID]: undefined,
  [ActionFieldName.STATE]: "state",
};
