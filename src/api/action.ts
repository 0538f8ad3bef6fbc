import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { ActionFieldName, ActionSchema, ActionState } from "../../gen/iam/action/v1/action_pb.js";
import {
  type UpdateActionRequest,
  UpdateActionRequestSchema,
} from "../../gen/iam/management/v1/action_change_pb.js";
import { CreateActionRequestSchema } from "../../gen/iam/management/v1/action_pb.js";
import type { ActionQuery } from "../../gen/iam/management/v1/action_search_pb.js";
import {
  type ActionInput,
  action,
  createAction,
  type ActionState as State,
  switchAction,
  timeoutNanosDefault,
  timeoutProblem,
  updateAction,
} from "../domain/action.ts";
import { removeAction } from "../domain/removal.ts";
import { findDependants } from "../execute/dependants.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { callOf, refuse } from "./call.ts";
import { decideWhole } from "./changing.ts";
import { createdDetails, readDetails } from "./details.ts";
import { toDuration, toNanos } from "./duration.ts";
import { enumNames } from "./enum.ts";
import { name, rulesOf, text, time } from "./field-rule.ts";
import type { Handlers } from "./handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchIds, matchOne, matchText } from "./listing.ts";
import { perform, type Service } from "./service.ts";

/** What the domain asks of a script that is given. */
export const scripted = {
  name,
  script: text("what does not parse as JavaScript is refused", async (given) => {
    const { scriptProblem } = await import("./script.ts");
    return scriptProblem(given);
  }),
  timeout: time("more than 0 s, at most 20 s", timeoutProblem),
};

/** What the domain asks of the fields of actions: see `fieldRules`. */
export const actionRules = [
  rulesOf(CreateActionRequestSchema, scripted),
  rulesOf(UpdateActionRequestSchema, scripted),
];

/** The handlers on actions. */
export function actionHandlers(service: Service) {
  const { newId } = service;

  async function change(id: string, isInactive: boolean, context: HandlerContext) {
    const { organization } = callOf(context);
    return await perform(service, context, {
      writes: { action: { noun: action, id } },
      decide: (states) => switchAction(states.action, { organization, isInactive }),
    });
  }

  return {
    deactivateAction: ({ id }, context) => change(id, true, context),
    reactivateAction: ({ id }, context) => change(id, false, context),

    async updateAction(request, context) {
      const { organization } = callOf(context);
      return await perform(service, context, {
        writes: { action: { noun: action, id: request.id } },
        decide: (states) =>
          decideWhole(request, context, states.action && fieldsOf(states.action), (whole) =>
            updateAction(states.action, { organization }, readInput(whole)),
          ),
      });
    },

    async deleteAction({ id }, context) {
      const { organization } = callOf(context);
      const found = await findDependants(service.store, { kind: "action", id });
      return await perform(service, context, {
        writes: { action: { noun: action, id }, ...found.writes },
        decide: (states) => removeAction(states, found.dependants, { organization, actionId: id }),
        answer: () => ({}),
      });
    },

    async getAction({ id }, context) {
      const found = await readObject(service.store, action, id);
      if (found?.state.organization !== callOf(context).organization) refuse("ACTION_NOT_FOUND");
      return { action: showAction(found) };
    },

    async listActions({ query, queries, sortingColumn }, context) {
      const list = {
        parents: [callOf(context).organization],
        where: matchAll(queries.map(readQuery)),
        ...columns[sortingColumn],
      };
      const { details, objects } = await listPage(service, context, action, list, query);
      return { details, sortingColumn, result: objects.map(showAction) };
    },

    async createAction(request, context) {
      const { organization } = callOf(context);
      const id = newId();
      return await perform(service, context, {
        writes: { action: { noun: action, id, owner: organization, isNew: true } },
        decide: () => createAction(readInput(request)),
        answer: (written) => ({ id, details: createdDetails(written) }),
      });
    },
  } satisfies Handlers;
}

/** An action as callers see it. */
export function showAction({ id, stored, state }: Found<State>) {
  return create(ActionSchema, {
    id,
    details: readDetails(stored),
    state: state.isInactive ? ActionState.INACTIVE : ActionState.ACTIVE,
    ...fieldsOf(state),
  });
}

/** What requests say of an action, in their words. */
function fieldsOf({ name, script, timeoutNanos, allowedToFail }: ActionInput) {
  return { name, script, timeout: toDuration(timeoutNanos), allowedToFail };
}

function readInput({
  name,
  script,
  timeout,
  allowedToFail,
}: Pick<UpdateActionRequest, "name" | "script" | "timeout" | "allowedToFail">): ActionInput {
  const timeoutNanos = timeout === undefined ? timeoutNanosDefault : toNanos(timeout);
  return { name, script, timeoutNanos, allowedToFail };
}

function readQuery({ query }: ActionQuery): Filter {
  switch (query.case) {
    case "actionIdQuery":
      return matchIds(action, [query.value.id]);
    case "actionNameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "actionStateQuery":
      return matchOne("state", [states.read(query.value.state)]);
    default:
      return assertKnownQuery();
  }
}

const states = enumNames(ActionState, "");

/** The field of a row by which a column sorts; ids are in the order of creation. */
const columns: { readonly [column in ActionFieldName]: { readonly sortBy?: string } } = {
  [ActionFieldName.UNSPECIFIED]: {},
  [ActionFieldName.NAME]: { sortBy: "name" },
  [ActionFieldName.ID]: {},
  [ActionFieldName.STATE]: { sortBy: "state" },
};
