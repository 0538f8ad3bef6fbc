import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ActionFieldName, ActionState } from "../../gen/iam/action/v1/action_pb.js";
import type {
  CreateActionRequestSchema,
  CreateActionResponse,
} from "../../gen/iam/management/v1/action_pb.js";
import type { GetActionResponse } from "../../gen/iam/management/v1/action_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { action } from "../../src/domain/action.ts";
import { row, runCases } from "../harness/cases.ts";
import { detailsJson, eventsOf, givenActionOf, recorded } from "./given.ts";
import { idsOf, type Listing, type ListPlace, listRow } from "./listing.ts";
import { listRows } from "./lists.ts";
import { lookupRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { createAction, deactivateAction, getAction, listActions } = ManagementService.method;
const notFound = {
  code: 5,
  reason: "ACTION_NOT_FOUND",
  message: "The organization has no action with this id.",
} as const;
const deactivated = { type: "action.deactivated", payload: {} } as const;

const actions: Listing = {
  method: listActions,
  given: ({ server }, { organization }, name) => givenActionOf(server, organization, { name }),
  byName: (name, method = 0) => ({ query: { case: "actionNameQuery", value: { name, method } } }),
  byNameColumn: ActionFieldName.NAME,
};

const byId = (id: string) => ({ query: { case: "actionIdQuery", value: { id } } });
const byState = (state: number) => ({ query: { case: "actionStateQuery", value: { state } } });

runCases("reading actions", [
  ...lookupRows({
    method: getAction,
    ...{ noun: action, notFound },
    given: ({ server }, { organization }) => givenActionOf(server, organization),
    request: (id) => ({ id }),
    removal: { type: "action.removed", payload: {} },
  }),
  answered("the defaults", { script: "1" }, { script: "1", timeout: "10s" }),
  answered(
    "everything",
    { script: "log('😀')", timeout: { seconds: 1n, nanos: 500_000_001 }, allowedToFail: true },
    { script: "log('😀')", timeout: "1.500000001s", allowedToFail: true },
  ),
  answered(
    "the longest time",
    { script: "1", timeout: { seconds: 20n } },
    { script: "1", timeout: "20s" },
  ),
  answered(
    "the shortest time",
    { script: "1", timeout: { nanos: 1 } },
    {
      ...{ script: "1", timeout: "0.000000001s" },
    },
  ),
  row("GetAction answers an inactive action", getAction, async ({ server, call, unique }) => {
    const { organization } = server.admin;
    const id = await givenActionOf(server, organization, { name: unique });
    granted(await call(deactivateAction, { id }));
    return {
      request: { id },
      expected: {
        async ok(message) {
          const details = detailsJson(await eventsOf(server, `action-${id}`));
          expect(details.creationDate).not.toBe(details.changeDate);
          const state = "ACTION_STATE_INACTIVE";
          expect(toJson(getAction.output, message)).toEqual({
            action: { id, details, state, name: unique, script: "1", timeout: "10s" },
          });
        },
      },
    };
  }),

  ...listRows(actions),
  listRow(actions, "has what GetAction has, but nothing removed", async (place, world) => {
    const { server, call } = world;
    const [kept, gone, inactive] = await place.given("kept", "gone", "inactive");
    const { organization } = place.spot;
    await recorded(server, action, organization, [{ type: "action.removed", payload: {} }], gone);
    await recorded(server, action, organization, [deactivated], inactive);
    return {
      async ok(page) {
        expect(idsOf(page)).toEqual([inactive, kept]);
        expect(page.details?.totalResult).toBe(2n);
        for (const listed of page.result) {
          const answer = await call(getAction, { id: listed.id }, place.token);
          expect(listed).toEqual(granted<GetActionResponse>(answer).action);
        }
      },
    };
  }),
  listRow(actions, "finds one by its id", async ({ given, list }, { unique }) => {
    const [, id] = await given("a", "b", "c");
    expect(await list({ queries: [byId(unique)] })).toMatchObject({ result: [] });
    return { ask: { queries: [byId(id!)] }, ok: (page) => expect(idsOf(page)).toEqual([id]) };
  }),
  listRow(actions, "does not find another organization's by its id", async (_, { server }) => {
    const id = await givenActionOf(server, server.admin.organization);
    return { ask: { queries: [byId(id)] }, ok: (page) => expect(idsOf(page)).toEqual([]) };
  }),
  ...(
    [
      [ActionState.ACTIVE, ["c", "a"]],
      [ActionState.INACTIVE, ["d", "b"]],
      [ActionState.UNSPECIFIED, []],
    ] as const
  ).map(([state, names]) =>
    listRow(actions, `finds by the state ${state}`, async (place, { server }) => {
      await givenStates(place, server);
      return {
        ask: { queries: [byState(state)] },
        ok: ({ result, details }) => {
          expect(result.map(({ name }) => name)).toEqual(names.map(place.named));
          expect(details?.totalResult).toBe(BigInt(result.length));
        },
      };
    }),
  ),
  ...(
    [
      [ActionFieldName.STATE, true, ["a", "c", "b", "d"]],
      [ActionFieldName.STATE, false, ["d", "b", "c", "a"]],
      // Ids follow one another as the actions do.
      [ActionFieldName.ID, true, ["a", "b", "c", "d"]],
      [ActionFieldName.ID, false, ["d", "c", "b", "a"]],
      [ActionFieldName.UNSPECIFIED, true, ["a", "b", "c", "d"]],
    ] as const
  ).map(([sortingColumn, asc, names]) =>
    listRow(
      actions,
      `sorts by the column ${sortingColumn}, ascending ${asc}`,
      async (place, world) => {
        await givenStates(place, world.server);
        return {
          ask: { sortingColumn, query: { asc } },
          ok({ result, ...page }) {
            expect(result.map(({ name }) => name)).toEqual(names.map(place.named));
            expect(page.sortingColumn).toBe(sortingColumn);
          },
        };
      },
    ),
  ),
]);

/** Four actions of which every other one is inactive. */
async function givenStates(
  { given, spot }: ListPlace,
  server: Parameters<typeof recorded>[0],
): Promise<void> {
  const [, b, , d] = await given("a", "b", "c", "d");
  for (const id of [b, d]) await recorded(server, action, spot.organization, [deactivated], id);
}

/** What is given to CreateAction is read again, and nothing else. */
function answered(
  what: string,
  given: MessageInitShape<typeof CreateActionRequestSchema>,
  read: object,
) {
  return row(`GetAction answers ${what}`, getAction, async ({ server, call, unique }) => {
    const created = await call(createAction, { ...given, name: unique });
    const { id } = granted<CreateActionResponse>(created);
    return {
      request: { id },
      expected: {
        async ok(message) {
          const details = detailsJson(await eventsOf(server, `action-${id}`));
          expect(toJson(getAction.output, message)).toEqual({
            action: { id, details, state: "ACTION_STATE_ACTIVE", name: unique, ...read },
          });
        },
      },
    };
  });
}
