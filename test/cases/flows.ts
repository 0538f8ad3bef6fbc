import { type FlowEvent, flow, flowId } from "../../src/domain/flow.ts";
import type { TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";

/** The flow of claims of an organization, with these actions at its triggers, without a call. */
export async function givenFlow(
  server: TestServer,
  organization: string,
  triggers: { readonly [trigger in 4 | 5]?: readonly string[] },
): Promise<void> {
  const events = ([4, 5] as const).flatMap((trigger): FlowEvent[] => {
    const actionIds = triggers[trigger];
    const payload = { flow: 2, trigger, actionIds: actionIds ?? [] } as const;
    return actionIds === undefined ? [] : [{ type: "flow.trigger.set", payload }];
  });
  await recorded(server, flow, organization, events, flowId(organization, 2));
}
