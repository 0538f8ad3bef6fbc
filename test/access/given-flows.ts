import { flow, flowId } from "../../src/domain/flow.ts";
import { type Given, givenAction, record } from "./given.ts";

/** The first flow, with an action. */
export const aFlow: Given = async ({ server }, { organization: owner }) => {
  const action = await givenAction(server, owner);
  const payload = { flow: 1, trigger: 1, actionIds: [action] } as const;
  const stream = { noun: flow, id: flowId(owner, 1), owner };
  await record(server, stream, [{ type: "flow.trigger.set", payload }]);
  return { action };
};
