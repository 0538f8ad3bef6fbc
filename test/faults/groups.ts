import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of groups, and of what their members hold. */
export const groupFaults: readonly Fault[] = [
  [
    "roles by a group that is gone",
    at("domain/grant.ts", "!(group && user && isMember", "!(user && isMember"),
  ],
  [
    "roles of a group for everybody",
    at("domain/grant.ts", "user && isMember(user, state.groupId))", "user)"),
  ],
  ["one group more", at("domain/group-change.ts", "groups.length >= most", "groups.length > most")],
  [
    "one grant of a group more",
    at("domain/group-change.ts", "states.held >= most", "states.held > most"),
  ],
  [
    "a grant of another group changed",
    at("domain/group-change.ts", "state?.groupId === acted.groupId &&", "state !== undefined &&"),
  ],
  [
    "members with roles that nobody finds",
    at(
      "domain/user/state/joined.ts",
      "memberships.length > 0 ? [membersOf, managersAmong]",
      "false ? []",
    ),
  ],
  [
    "a token with one byte more of groups",
    at(
      "provider/token/groups.ts",
      "bytesOf(claims) > Math.min(",
      "bytesOf(claims) - 1 > Math.min(",
    ),
  ],
];

/** Those of threats; see `threat.ts`. */
export const groupThreatFaults: { readonly [row: string]: readonly Fault[] } = {
  "names of groups that mean another's": [
    [
      "groups of another organization by their names",
      at("provider/token/groups.ts", "state.organization === organization ?", "true ?"),
    ],
    [
      "names of groups in a token for others",
      at("provider/token/groups.ts", "meant.every(({ owner }) => owner === organization)", "true"),
    ],
  ],
  "rights by way of a group": [
    [
      "a change of groups by who may not grant",
      at(
        "domain/group-change.ts",
        `"user.grant.write", scope)) return`,
        `"user.read", scope)) return`,
      ),
    ],
    [
      "a change of a group in which somebody holds more",
      at(
        "domain/group-change.ts",
        "states.managers === states.outranked ?",
        "states.managers >= states.outranked ?",
      ),
    ],
    [
      "another name for such a group",
      at(
        "domain/group-change.ts",
        "isRenamed ? refuseToMembers(states, acted)",
        "isRenamed ? undefined",
      ),
    ],
  ],
};
