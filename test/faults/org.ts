import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes in taking organizations out of use. */
export const orgFaults: readonly Fault[] = [
  [
    "what belongs to an inactive organization counts",
    at("domain/org.ts", "owner?.isInactive && state !== undefined", "false"),
  ],
  [
    "an inactive organization taken for one in use at the gate",
    at("gateway/call/gate.ts", "found.isInactive && !call.isForInactive", "false"),
    at("execute/owner.ts", "(state as OrgState | undefined)?.isInactive", "false"),
  ],
  [
    "written into an organization that is inactive by then",
    at(
      "execute/execute.ts",
      "judgeOwners(admission, [...members, ...writing], owners)",
      "undefined as ReturnType<typeof judgeOwners>",
    ),
  ],
  [
    "owners not relied on in the append",
    at("execute/execute.ts", "[...loaded, ...owners]", "[...loaded]"),
  ],
  [
    "caller of an inactive organization let in",
    at(
      "gateway/call/caller.ts",
      "await readCounting(objects, objects.load, [stream])",
      "await objects.load([stream])",
    ),
    at(
      "execute/owner.ts",
      "underOwner(one.state, owner && standingOf(owner.stored))];",
      "one.state];",
    ),
  ],
  [
    "person of an inactive organization found by logins",
    at(
      "provider/base/rows.ts",
      "readCounting(objects, objects.current, [streamOf(user, userId)])",
      "objects.current([streamOf(user, userId)])",
    ),
  ],
  [
    "application of an inactive organization found",
    at(
      "provider/base/rows.ts",
      "await readCounting(objects, objects.current, streams)",
      "await objects.current(streams)",
    ),
  ],
  [
    "owners of an inactive organization counted",
    at(
      "domain/user/state/user.ts",
      "counts: ({ isInactive }: UserState) => !isInactive",
      "counts: () => true",
    ),
  ],
  [
    "owners of the organization counted among those who remain",
    at("api/org.ts", "!isInactive && one.organization !== organization", "!isInactive"),
  ],
  ["users who hold more not looked at", at("domain/org.ts", "outranked < beyond", "false")],
  [
    "roles in other organizations not looked at",
    at(
      "domain/user/state/beyond.ts",
      "!isWithin(scope, organization));\n  const groups",
      `scope.level === "instance");\n  const groups`,
    ),
  ],
  [
    "an organization that stays inactive",
    at("domain/org.ts", `return withStatus(mustExist(state), false);`, "return mustExist(state);"),
  ],
  [
    "what an inactive organization allows refused by the append",
    at("execute/owner.ts", " || admission.isForInactive", ""),
  ],
];
