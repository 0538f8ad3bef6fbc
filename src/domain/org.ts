import { accept, type Decision, invalid } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { type Noun, unknownEvent } from "./noun.ts";

/** An organization: the owner of everything else. */
export type OrgEvent = { readonly type: "org.added"; readonly payload: { readonly name: string } };

export interface OrgState {
  readonly name: string;
}

export const org: Noun<OrgState, OrgEvent> = {
  kind: "org",
  secrets: [],
  evolve(_state, event) {
    switch (event.type) {
      case "org.added":
        return { name: event.payload.name };
      default:
        return unknownEvent(event.type);
    }
  },
  claims: ({ name }) => [{ kind: "org.name", scope: "", value: foldName(name) }],
  row: ({ name }) => ({ parent: "", fields: { name } }),
};

export function addOrg(input: { readonly name: string }): Decision<{ org?: readonly OrgEvent[] }> {
  const violations = nameViolations("name", input.name);
  if (violations.length > 0) return invalid(violations);
  return accept({ org: setUpOrg(input.name) });
}

export function setUpOrg(name: string): readonly OrgEvent[] {
  return [{ type: "org.added", payload: { name } }];
}
