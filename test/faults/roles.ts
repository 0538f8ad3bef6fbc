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
      "refuseActing(states, given) ?? giveRoles(states, given)",
      "giveRoles(states, given)",
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
    "a token by a project grant that was made again",
    at("domain/access.ts", "grant.projectGrantId !== projectGrantId", "grant === undefined"),
  ],
  [
    "a project by an inactive project grant",
    at("domain/project-grant.ts", "undefined || state.isInactive)", "undefined)"),
  ],
  [
    "one project grant more",
    at("domain/project-grant.ts", "states.held >= most", "states.held > most"),
  ],
  [
    "roles told to their holder that do not count",
    at("api/user/own.ts", "rolesOf({ ...rest, grant: state })", "rest.keys"),
  ],
  [
    "one project more for an organization",
    at("domain/project-grant.ts", "between >= projectsTo", "between > projectsTo"),
  ],
  [
    "projects for an organization that nobody counts",
    at(
      "domain/project-grant.ts",
      "projectGrantsBetween(organization, grantedOrgId), value",
      "projectGrantsBetween(organization, projectId), value",
    ),
  ],
  [
    "grants left by a removed project grant",
    at("execute/dependants.ts", `[{ kind: "grant", claims: grantsBy(id) }]`, "[]"),
  ],
  [
    "a customer out of use that keeps its grants",
    at("execute/owner.ts", "writing.filter(({ stream }) => !stream.ref.isEnding)", "writing"),
  ],
  [
    "roles by a claim that names another grant",
    at("execute/grants.ts", "all.filter(({ state }) => isTheirs(state))", "all"),
  ],
  [
    "grants listed by a claim alone",
    at("api/listing.ts", "isHeld(noun, state, list.where)", "isHeld(noun, state, undefined)"),
  ],
  [
    "a role by a claim that names another",
    at("execute/roles.ts", "makesClaim(role, found.state, claim)", "true"),
  ],
  [
    "applications for people without a role",
    at("domain/access.ts", "(frame.projectRoleCheck && !holdsRole)", "false"),
  ],
];

/** Those of threats; see `threat.ts`. */
export const roleThreatFaults: { readonly [row: string]: readonly Fault[] } = {
  "roles that mean another project's": [
    [
      "roles of no named project in a token for others",
      at(
        "provider/token/roles.ts",
        "audience.every((id) => id === own || id === apiAudience)",
        "true",
      ),
    ],
    [
      "a token for others that is taken for one for the own project",
      at(
        "provider/library/enveloping.ts",
        "own: projectId, isAsserted, audience",
        "own: projectId, isAsserted",
      ),
    ],
    [
      "userinfo for others that names the own roles",
      at("provider/token/userinfo.ts", "{ ...rolesFor(found), audience }", "rolesFor(found)"),
    ],
  ],
};
