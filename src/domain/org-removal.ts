import type { NewEvent } from "../event.ts";
import { accept, type Decision, reject } from "./decision.ts";
import { type Dependant, endDependants } from "./dependants.ts";
import type { InstanceState } from "./instance.ts";
import { mustExist } from "./noun.ts";
import { type OrgEvent, type OrgTaking, refuseTaking } from "./org.ts";

/** An organization that is to be removed, what counts for that, and what ends with it. */
export type OrgRemoval = OrgTaking & {
  readonly instance: InstanceState | undefined;
  readonly [name: string]: unknown;
};

/** Removes an organization, and with it what ends in the same append. */
export function removeOrg(
  states: OrgRemoval,
  dependants: readonly Dependant[],
  { organization }: { readonly organization: string },
): Decision<{ readonly [name: string]: readonly NewEvent[] }> {
  if (mustExist(states.instance).organization === organization) {
    return reject("INSTANCE_ORGANIZATION");
  }
  // Who calls again is told so, where the role of the caller did not go with it.
  if (states.org === undefined) return reject("NOTHING_CHANGED");
  const org: OrgEvent = { type: "org.removed", payload: {} };
  const removed = { kind: "org", id: organization } as const;
  return (
    refuseTaking(states) ?? accept({ org: [org], ...endDependants(states, dependants, removed) })
  );
}
