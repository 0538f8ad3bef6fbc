import { accept, type Decision, type Refusal, reject } from "./decision.ts";
import { foldName, rejectName } from "./name.ts";
import type { Nothing, Noun } from "./noun.ts";
import { evolvePlain } from "./status.ts";

/** A group of users of one organization, who hold what is granted to it. */
export type GroupEvent =
  | { readonly type: "group.added" | "group.changed"; readonly payload: GroupInput }
  | { readonly type: "group.removed"; readonly payload: Nothing };

/** A group as a caller describes it. Applications read its name in the claim `groups`. */
export interface GroupInput {
  readonly name: string;
  /** For administrators; empty for none. */
  readonly description: string;
}

/** A group as its events leave it. Who is in it, its members say: see `Joined`. */
export interface GroupState extends GroupInput {
  /** The organization it belongs to. */
  readonly organization: string;
}

/** The noun of groups. */
export const group: Noun<GroupState, GroupEvent> = {
  kind: "group",
  events: {
    "group.added": "A group of users was created",
    "group.changed": "Its name and description were replaced",
    "group.removed": "It was removed, and nobody is a member or holds its grants any more",
  },
  secrets: [],
  evolve: evolvePlain,
  claimRefusals: { "group.name": rejectName("group of this organization") },
  claims: ({ name, organization }) => [
    { kind: "group.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name, organization }) => ({ parent: organization, fields: { name } }),
};

/** A decision on a group. */
export type GroupDecision = Decision<{ group?: readonly GroupEvent[] }>;

/** Creates a group, which has no members. */
export function addGroup(input: GroupInput): GroupDecision {
  return accept({ group: [{ type: "group.added", payload: input }] });
}

/** The refusal where the organization has no such group. */
export function refuseGroup(
  state: GroupState | undefined,
  { organization }: { readonly organization: string },
): Refusal | undefined {
  return state?.organization === organization ? undefined : reject("GROUP_NOT_FOUND");
}
