import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes in removing organizations and projects. */
export const orgRemovalFaults: readonly Fault[] = [
  [
    "what belongs to a removed organization counts",
    at("domain/org.ts", `if (owner === "removed") return undefined;`, ""),
    at(
      "domain/org.ts",
      "return owner?.isInactive",
      `return owner !== "removed" && owner?.isInactive`,
    ),
  ],
  [
    "what is left of a removed organization stays",
    at("start/clear.ts", "await end(removed, found);", ""),
  ],
  ["what is left decided on as if it were gone", at("start/clear.ts", "isForRemoved: true, ", "")],
  [
    "a turn kept that is over",
    at("start/periodic.ts", "if (isUrgent) await", "if (!isUrgent) await"),
  ],
  [
    "what is left not ended at the start",
    at("start/periodic.ts", "if (options.isUrgent) begin();", ""),
  ],
  [
    "the rest passed over",
    at("start/clear.ts", "if (left <= 0 || signal?.aborted) return;", "if (left < 0) return;"),
  ],
  [
    "a project removed though an application came",
    at("domain/dependants.ts", "states[group] === streams.filter(isThere).length", "true"),
  ],
  [
    "an organization removed with the last owner",
    at("domain/removal.ts", "refuseTaking(states) ??", ""),
  ],
  [
    "the organization of the instance removed",
    at("domain/removal.ts", "mustExist(states.instance).organization === id", "false"),
  ],
  ["one user more than are looked at", at("domain/org.ts", "beyond > most", "beyond > most + 1")],
  [
    "roles of others in a removed organization kept",
    at("domain/user/state/beyond.ts", "...groups].map", "].map"),
  ],
  [
    "roles on a removed project kept",
    at("execute/dependants.ts", '{ kind: "projectMember", claims: membersOfPlace(id) }, ', ""),
  ],
  [
    "roles on a removed project ended behind all else",
    at(
      "execute/dependants.ts",
      '[{ kind: "projectMember", claims: membersOfPlace(id) }, ...partsOfProject(id)]',
      '[...partsOfProject(id), { kind: "projectMember", claims: membersOfPlace(id) }]',
    ),
  ],
  [
    "roles elsewhere ended with those on a removed project",
    at(
      "domain/dependants.ts",
      "memberships.filter(({ scope }) => idOfScope(scope) === id)",
      "memberships",
    ),
  ],
  [
    "people erased by a role in what was removed",
    at(
      "gateway/call/gate.ts",
      "!needs || !holdsNeeded({ ...call, admission: { ...admission, needs } })",
      "!needs",
    ),
    at(
      "gateway/call/gate.ts",
      "return { isForRemoved: true, admission: { ...admission, needs } };",
      "return { isForRemoved: true, admission };",
    ),
  ],
  [
    "done in an organization that was removed meanwhile",
    at("execute/judge.ts", " ?? judgeOrganization(admission, owners)", ""),
  ],
  [
    "the end of a session told again and again after a removal",
    at("notify/logout.ts", "          isForRemoved: true,\n", ""),
  ],
  [
    "a mail sent to who was removed with an organization",
    at(
      "notify/deliver.ts",
      "await readCounted(store, user, idOf(user, message.event.stream))",
      'await import("../execute/read-object.ts").then((read) =>\n    read.readObject(store, user, idOf(user, message.event.stream)),\n  )',
    ),
  ],
  [
    "a provider of a removed organization listed",
    at("execute/owner.ts", "!gone.has(streamOf(org, stored.owner))", "true"),
  ],
];
