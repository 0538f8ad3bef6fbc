import { expect } from "@jest/globals";
import { FlowState } from "../../gen/iam/action/v1/flow_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { action } from "../../src/domain/action.ts";
import { flow, flowId, flowLimits } from "../../src/domain/flow.ts";
import { readObject } from "../../src/execute/read-object.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, type TestServer } from "../harness/server.ts";
import { givenFlow } from "./flows.ts";
import { givenActionOf } from "./given.ts";
import { on } from "./orgs.ts";
import { detailsOf, fact } from "./stored.ts";

const method = ManagementService.method;
const { clearFlow, deleteAction, getFlow, setTriggerActions } = method;
const { listFlowTriggerTypes, listFlowTypes, updateAction } = method;
const { actionsOfTrigger: most } = flowLimits;

const noAction = { code: 5, reason: "ACTION_NOT_FOUND" } as const;
const unchanged = { code: 9, reason: "NOTHING_CHANGED" } as const;
const claims = { flowType: "2", triggerType: "4" } as const;

/** An organization of its own, with so many actions. */
async function givenActions({ server }: World, count: number) {
  const organization = await givenOrganization(server);
  const actionIds: string[] = [];
  for (let i = 0; i < count; i += 1) actionIds.push(await givenActionOf(server, organization));
  return { organization, actionIds, headers: on(organization) };
}

async function triggersOf({ store }: TestServer, organization: string) {
  return (await readObject(store, flow, flowId(organization, 2)))?.state.triggers;
}

runCases("SetTriggerActions", [
  ...[
    claims,
    { flowType: "FLOW_TYPE_COMPLEMENT_TOKEN", triggerType: "TRIGGER_TYPE_PRE_USERINFO_CREATION" },
  ].map((named) =>
    row(`keeps the order, of flow ${named.flowType}`, setTriggerActions, async (world) => {
      const { organization, actionIds, headers } = await givenActions(world, 3);
      const [a, b, c] = actionIds as [string, string, string];
      return {
        request: { ...named, actionIds: [c, a, b] },
        headers,
        expected: {
          ok({ details }, events) {
            const stream = `flow-${organization}-2`;
            const payload = { flow: 2, trigger: 4, actionIds: [c, a, b] };
            const by = { owner: organization, actor: world.server.admin.userId };
            expect(events.map(fact)).toEqual([
              { stream, version: 1, type: "flow.trigger.set", payload, ...by },
            ]);
            expect(details).toMatchObject(detailsOf(events));
          },
        },
      };
    }),
  ),
  row(`takes ${most} actions`, setTriggerActions, async (world) => {
    const { actionIds, headers } = await givenActions(world, most);
    return {
      ...{ request: { ...claims, actionIds }, headers },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row(`refuses ${most + 1} actions`, setTriggerActions, () => ({
    request: { ...claims, actionIds: Array.from({ length: most + 1 }, (_, i) => `${i}`) },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["action_ids"] },
  })),
  row("refuses an action that is named twice", setTriggerActions, () => ({
    request: { ...claims, actionIds: ["a", "a"] },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["action_ids"] },
  })),
  row("refuses a flow that is none", setTriggerActions, () => ({
    request: { flowType: "4", triggerType: "4" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["flow_type"] },
  })),
  row("refuses a trigger of another flow", setTriggerActions, () => ({
    request: { flowType: "2", triggerType: "1" },
    expected: {
      ...{ code: 3, reason: "INVALID_FIELDS", fields: ["trigger_type"] },
      message: "trigger_type: must be a trigger of the flow",
    },
  })),
  row("refuses all where one belongs to another organization", setTriggerActions, async (world) => {
    const { actionIds, headers } = await givenActions(world, 1);
    const foreign = await givenActionOf(world.server, world.server.admin.organization);
    return {
      request: { ...claims, actionIds: [...actionIds, foreign] },
      ...{ headers, expected: noAction },
    };
  }),
  row("refuses what is set so already", setTriggerActions, async (world) => {
    const { organization, actionIds, headers } = await givenActions(world, 2);
    await givenFlow(world.server, organization, { 4: actionIds });
    return { request: { ...claims, actionIds }, headers, expected: unchanged };
  }),
  row("takes an inactive action, which may be reactivated", setTriggerActions, async (world) => {
    const { organization, headers } = await givenActions(world, 0);
    const off = { type: "action.deactivated", payload: {} } as const;
    const id = await givenActionOf(world.server, organization, {}, off);
    return {
      ...{ request: { ...claims, actionIds: [id] }, headers },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row(
    "takes all actions of one trigger away, and of no other",
    setTriggerActions,
    async (world) => {
      const { organization, actionIds, headers } = await givenActions(world, 1);
      await givenFlow(world.server, organization, { 4: actionIds, 5: actionIds });
      return {
        ...{ request: claims, headers },
        expected: {
          ok: async () => {
            expect(await triggersOf(world.server, organization)).toEqual({ 5: actionIds });
          },
        },
      };
    },
  ),
]);

runCases("GetFlow", [
  row("tells the triggers with actions, in their order", getFlow, async (world) => {
    const { organization, actionIds, headers } = await givenActions(world, 2);
    await givenFlow(world.server, organization, { 5: actionIds.toReversed(), 4: actionIds });
    return {
      request: { type: "2" },
      headers: { ...headers, "accept-language": "de" },
      expected: {
        ok({ flow: told }) {
          expect(told?.type?.id).toBe("2");
          expect(told?.type?.name?.localizedMessage).toBe("Claims in Token");
          expect(told?.state).toBe(FlowState.ACTIVE);
          expect(told?.details?.resourceOwner).toBe(organization);
          expect(
            told?.triggerActions.map(({ triggerType, actions }) => [
              triggerType?.id,
              actions.map(({ id }) => id),
            ]),
          ).toEqual([
            ["4", actionIds],
            ["5", actionIds.toReversed()],
          ]);
        },
      },
    };
  }),
  row("tells a flow that nobody has set", getFlow, async (world) => {
    const { headers } = await givenActions(world, 0);
    return {
      ...{ request: { type: "FLOW_TYPE_EXTERNAL_AUTHENTICATION" }, headers },
      expected: {
        ok({ flow: told }) {
          expect(told).toMatchObject({ state: FlowState.INACTIVE, triggerActions: [] });
          expect([told?.type?.id, told?.details]).toEqual(["1", undefined]);
        },
      },
    };
  }),
  row("refuses a flow that is none", getFlow, () => ({
    request: { type: "0" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["type"] },
  })),
]);

runCases("ClearFlow", [
  row("takes all actions away, which stay actions", clearFlow, async (world) => {
    const { organization, actionIds, headers } = await givenActions(world, 1);
    await givenFlow(world.server, organization, { 4: actionIds, 5: actionIds });
    return {
      ...{ request: { type: "2" }, headers },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([{ type: "flow.cleared", payload: {} }]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await triggersOf(world.server, organization)).toBeUndefined();
          const [id = ""] = actionIds;
          expect(await readObject(world.server.store, action, id)).toBeDefined();
        },
      },
    };
  }),
  row("refuses a flow without actions", clearFlow, async (world) => ({
    ...{ request: { type: "2" }, headers: (await givenActions(world, 0)).headers },
    expected: unchanged,
  })),
  row("refuses a flow that is none", clearFlow, () => ({
    request: { type: "FLOW_TYPE" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["type"] },
  })),
]);

runCases("types of flows", [
  row("ListFlowTypes names three", listFlowTypes, () => ({
    request: {},
    headers: { "accept-language": "fr" },
    expected: {
      ok: ({ result }) =>
        expect(result.map(({ id, name }) => [id, name?.key, name?.localizedMessage])).toEqual([
          ["1", "Action.Flow.Type.ExternalAuthentication", "Connexion avec un compte externe"],
          ["2", "Action.Flow.Type.CustomiseToken", "Revendications des jetons"],
          ["3", "Action.Flow.Type.InternalAuthentication", "Connexion avec un compte local"],
        ]),
    },
  })),
  ...[
    ["1", ["PostAuthentication", "PreCreation", "PostCreation"], ["1", "2", "3"]] as const,
    ["2", ["PreUserinfoCreation", "PreAccessTokenCreation"], ["4", "5"]] as const,
    ["3", ["PostAuthentication", "PreCreation", "PostCreation"], ["1", "2", "3"]] as const,
  ].map(([type, keys, ids]) =>
    row(`ListFlowTriggerTypes names those of ${type}`, listFlowTriggerTypes, () => ({
      request: { type },
      expected: {
        ok({ result }) {
          expect(result.map(({ id }) => id)).toEqual(ids);
          expect(result.map(({ name }) => name?.key)).toEqual(
            keys.map((key) => `Action.TriggerType.${key}`),
          );
        },
      },
    })),
  ),
  row("ListFlowTriggerTypes refuses a flow that is none", listFlowTriggerTypes, () => ({
    request: { type: "5" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["type"] },
  })),
]);

runCases("actions in flows", [
  row("DeleteAction takes the action out of all its flows", deleteAction, async (world) => {
    const { organization, actionIds, headers } = await givenActions(world, 2);
    const [id = "", other = ""] = actionIds;
    await givenFlow(world.server, organization, { 4: actionIds, 5: [id] });
    return {
      ...{ request: { id }, headers },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type).toSorted()).toEqual([
            "action.removed",
            "flow.action.removed",
          ]);
          expect(await triggersOf(world.server, organization)).toEqual({ 4: [other] });
        },
      },
    };
  }),
  row("UpdateAction replaces all that it is told", updateAction, async (world) => {
    const { server, unique: name } = world;
    const id = await givenActionOf(server, server.admin.organization, { allowedToFail: true });
    return {
      request: { id, name, script: "2", timeout: { seconds: 3n } },
      expected: {
        ok({ details }, events) {
          const payload = { name, script: "2", timeoutNanos: 3e9, allowedToFail: false };
          expect(events.map(fact)).toMatchObject([{ type: "action.changed", version: 2, payload }]);
          expect(details?.sequence).toBe(events[0]?.position);
        },
      },
    };
  }),
  row("UpdateAction takes 10 s where nothing is said", updateAction, async ({ server, unique }) => {
    const given = { timeoutNanos: 1 };
    const id = await givenActionOf(server, server.admin.organization, given);
    return {
      request: { id, name: unique, script: "2" },
      expected: {
        ok: (_message, events) =>
          expect(events.map(fact)).toMatchObject([{ payload: { timeoutNanos: 1e10 } }]),
      },
    };
  }),
  row("UpdateAction changes what its mask names alone", updateAction, async (world) => {
    const { server, unique: name } = world;
    const kept = { name, timeoutNanos: 5, allowedToFail: true };
    const id = await givenActionOf(server, server.admin.organization, kept);
    return {
      request: { id, script: "2", updateMask: { paths: ["script"] } },
      expected: {
        ok: (_message, events) =>
          expect(events.map(fact)).toMatchObject([{ payload: { ...kept, script: "2" } }]),
      },
    };
  }),
  row("UpdateAction refuses a name that is taken", updateAction, async ({ server, unique }) => {
    await givenActionOf(server, server.admin.organization, { name: unique });
    const id = await givenActionOf(server, server.admin.organization);
    return {
      request: { id, name: unique.toUpperCase(), script: "1" },
      expected: { code: 6, reason: "NAME_TAKEN" },
    };
  }),
  row("UpdateAction refuses what is no JavaScript, and no time", updateAction, () => ({
    request: { id: "a", name: "a", script: "(", timeout: {} },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["script", "timeout"] },
  })),
]);
