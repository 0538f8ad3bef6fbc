import { type OrgEvent, org } from "../../src/domain/org.ts";
import type { TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";

/** Records an event of the organization, without a call. */
export async function recordedOrg(server: TestServer, id: string, event: OrgEvent): Promise<void> {
  await recorded(server, org, id, [event], id);
}
