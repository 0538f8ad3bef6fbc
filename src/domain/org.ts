import { accept, type Decision } from "./decision.ts";
import { claimOf, type NameClaim, nameClaims, rejectName } from "./name.ts";
import { type Noun, unknownEvent } from "./noun.ts";

/** An organization: the owner of everything else. */
export type OrgEvent = { readonly type: "org.added"; readonly payload: OrgState };

/** An organization as its events leave it. */
export interface OrgState extends NameClaim {
  readonly name: string;
}

/** The noun of organizations. */
export const org: Noun<OrgState, OrgEvent> = {
  kind: "org",
  events: {
    "org.added": "An organization was created",
  },
  secrets: [],
  evolve(_state, event) {
    switch (event.type) {
      case "org.added":
        return event.payload;
      default:
        return unknownEvent(event.type);
    }
  },
  claimRefusals: { "org.name": rejectName("organization of this instance") },
  claims: (state) => nameClaims("org.name", state.name, state),
  row: ({ name }) => ({ parent: "", fields: { name } }),
};

/** Creates an organization. */
export function addOrg(input: { readonly name: string }): Decision<{ org?: readonly OrgEvent[] }> {
  return accept({ org: setUpOrg(input.name) });
}

/** The events of an organization that the first start creates. */
export function setUpOrg(name: string): readonly OrgEvent[] {
  return [{ type: "org.added", payload: { name, ...claimOf(name) } }];
}
