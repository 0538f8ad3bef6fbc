import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of the roles of projects, and of what users are granted. */
export const roleFaults: readonly Fault[] = [
  [
    "roles by an inactive grant",
    at("domain/grant.ts", "[state, user, project, ...by]", "[user, project, ...by]"),
  ],
  [
    "granted to who holds more",
    at(
      "domain/grant.ts",
      "refuseActing(states, given) ?? refuseReach(states, given)",
      "refuseReach(states, given)",
    ),
  ],
  ["one grant more", at("domain/grant.ts", "states.held >= most", "states.held > most")],
  ["one role more", at("domain/role.ts", "added.length > most", "added.length > most + 1")],
  [
    "a token with one role more",
    at("provider/token/roles.ts", "count > ofToken ||", "count > ofToken + 1 ||"),
  ],
  [
    "introspection that tells the roles of others",
    at(
      "provider/token/roles.ts",
      "findTold(rows, asked, []), asked)",
      "findTold(rows, asked, audiencesIn(asked.scope)), asked)",
    ),
  ],
  [
    "people of other organizations by a scope",
    at(
      "provider/login/onward.ts",
      "if (!isOfOrganizations(found.state",
      "if (isOfOrganizations(found.state",
    ),
  ],
  [
    "applications for people without a role",
    at("domain/user/access.ts", "(frame.projectRoleCheck && !holdsRole)", "false"),
  ],
];
