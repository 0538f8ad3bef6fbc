import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of who has which roles, and of what is told of it. */
export const memberFaults: readonly Fault[] = [
  [
    "roles given that the caller does not hold",
    at(
      "domain/user/membership.ts",
      "!holdsRoles(caller, held) || !holdsRoles(caller, { scope, roles })",
      "!holdsRoles(caller, held)",
    ),
  ],
  [
    "roles taken that the caller does not hold",
    at("domain/user/membership.ts", "!holdsRoles(caller, held) || ", ""),
  ],
  [
    "people of others raised",
    at(
      "domain/user/membership.ts",
      "if (gained.length > 0 && !isR",
      "if (gained.length < 0 && !isR",
    ),
  ],
  [
    "the last owner made a viewer",
    at("domain/user/membership.ts", '(roles.includes("IAM_OWNER") ?', "(roles.length > 0 ?"),
  ],
  [
    "consents that outlive a further role",
    at(
      "domain/user/state/user.ts",
      "ownsInstance(before) || !isRaised",
      "ownsInstance(before) || isRaised",
    ),
  ],
  [
    "members of every place",
    at("api/user/member-read.ts", "matchHolders(membersIn(scope))", "matchAll([])"),
  ],
  [
    "members whose organization was removed",
    at("api/user/member-read.ts", "await withoutRemoved(store, objects)", "objects"),
  ],
  [
    "memberships told to who may not ask",
    at(
      "api/user/membership.ts",
      "holds(memberships, permission, scope);",
      "memberships !== undefined;",
    ),
  ],
  [
    "memberships in what was removed",
    at("api/user/membership.ts", "name === undefined ? []", 'name === "undefined" ? []'),
  ],
  [
    "the roles of a project that is not the token's",
    at("api/user/own.ts", 'shown.kind !== "application"', 'shown.kind === "application"'),
  ],
];
