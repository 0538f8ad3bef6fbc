import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ActionState } from "../../gen/iam/action/v1/action_pb.js";
import type { CreateActionResponse } from "../../gen/iam/management/v1/action_pb.js";
import type { GetActionResponse } from "../../gen/iam/management/v1/action_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { action } from "../../src/domain/action.ts";
import { reasons } from "../../src/reason.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenActionOf } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { createAction, deactivateAction, deleteAction, getAction, reactivateAction } =
  ManagementService.method;

const notFound = {
  code: 5,
  reason: "ACTION_NOT_FOUND",
  message: "The organization has no action with this id.",
} as const;
const deactivated = { type: "action.deactivated", payload: {} } as const;

function ofAction(
  method: DescMethodUnary,
  type: string,
  again: NonNullable<Change["again"]>,
  rest: { readonly isInactive?: true } & Partial<Change> = {},
): Change {
  const { isInactive = false, ...more } = rest;
  return {
    ...{ method, noun: action, notFound, type, again },
    given: ({ server }, { organization }) =>
      givenActionOf(server, organization, {}, ...(isInactive ? [deactivated] : [])),
    request: (id) => ({ id }),
    removal: { type: "action.removed", payload: {} },
    ...more,
  };
}

runCases("changes of actions", [
  ...changeRows(
    ofAction(deactivateAction, deactivated.type, {
      ...{ code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
    }),
  ),
  ...changeRows(
    ofAction(
      reactivateAction,
      "action.reactivated",
      { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
      { isInactive: true },
    ),
  ),
  // The answer is empty: the contract has no details there.
  ...changeRows(ofAction(deleteAction, "action.removed", notFound, { answer: () => ({}) })),

  row("DeleteAction removes an inactive action", deleteAction, async ({ server }) => ({
    request: { id: await givenActionOf(server, server.admin.organization, {}, deactivated) },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("DeleteAction frees the name", deleteAction, async ({ server, call, unique }) => {
    const first = await givenActionOf(server, server.admin.organization, { name: unique });
    return {
      request: { id: first },
      expected: {
        async ok() {
          const again = await call(createAction, { name: unique.toUpperCase(), script: "1" });
          expect(granted<CreateActionResponse>(again).id).not.toBe(first);
        },
      },
    };
  }),
  row("DeactivateAction keeps the name, and is seen", deactivateAction, async (world) => {
    const { server, call, unique } = world;
    const id = await givenActionOf(server, server.admin.organization, { name: unique });
    return {
      request: { id },
      expected: {
        async ok() {
          const taken = await call(createAction, { name: unique, script: "1" });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
          expect(await stateOf(world, id)).toBe(ActionState.INACTIVE);
        },
      },
    };
  }),
  row("ReactivateAction is seen", reactivateAction, async (world) => {
    const { server } = world;
    const id = await givenActionOf(server, server.admin.organization, {}, deactivated);
    return {
      request: { id },
      expected: { ok: async () => expect(await stateOf(world, id)).toBe(ActionState.ACTIVE) },
    };
  }),
]);

async function stateOf({ call }: World, id: string) {
  return granted<GetActionResponse>(await call(getAction, { id })).action?.state;
}
