import type { Membership, Role, Scope } from "../../../src/domain/permission.ts";
import type { HeldMembership } from "../../../src/domain/user/state/held-roles.ts";
import type { UserState } from "../../../src/domain/user/state/user.ts";

/** The time at which decisions on users are made here. */
export const now = 1_700_000_000_000;
export const home = "org-a";
/** Who made what users have, where nothing else is said. */
export const maker = "somebody";
export const made = { maker, addedMs: now } as const;
export const machine = {
  userName: "Robot",
  name: "A robot",
  description: "",
  accessTokenType: "BEARER",
} as const;

export const instance: Scope = { level: "instance" };
export const inHome = { level: "organization", organization: home } as const;
export const onProject = { level: "project", organization: home, project: "p1" } as const;

export function userWith(rest: Partial<UserState> = {}): UserState {
  const { userName, ...state } = machine;
  return { userName, machine: state, organization: home, tokens: {}, memberships: [], ...rest };
}

export function holderOf(role: Role, scope: Scope): UserState {
  return userWith({ memberships: held({ scope, roles: [role] }) });
}

/** Memberships as a user holds them who got them now. */
export function held(...given: readonly Membership[]): readonly HeldMembership[] {
  return given.map((one) => ({ ...one, addedMs: now, changedMs: now }));
}

/** The same user, deactivated. */
export function inactive(state: UserState): UserState {
  return { ...state, isInactive: true };
}

export function memberships(count: number): readonly HeldMembership[] {
  const scopes = Array.from({ length: count }, (_, index) => `org-${index}`).map(
    (organization) => ({ level: "organization", organization }) as const,
  );
  return held(...scopes.map((scope) => ({ scope, roles: ["ORG_USER_MANAGER"] as const })));
}

export function tokens(count: number): UserState["tokens"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `t${index}`,
      { tokenHash: `hash ${index}`, ...made },
    ]),
  );
}

// One who has no lasting token is not counted among the owners.
export const owner: UserState = {
  ...holderOf("IAM_OWNER", instance),
  tokens: { o: { tokenHash: "owner", ...made } },
};
export const orgOwner = holderOf("ORG_OWNER", inHome);
export const manager = holderOf("ORG_USER_MANAGER", inHome);
