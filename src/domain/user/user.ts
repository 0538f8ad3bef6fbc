import type { Claim } from "../../event.ts";
import { foldName } from "../name.ts";
import { existing, type Nothing, type Noun } from "../noun.ts";
import { type Membership, sameScope } from "../permission.ts";
import { type Status, withStatus } from "../status.ts";
import { messages, settles } from "./delivery.ts";
import { evolveHuman, type HumanEvent, type HumanState, humanClaims } from "./human-state.ts";

/** A user: a machine or a person, with its personal access tokens and its memberships. */
export type UserEvent =
  | { readonly type: "user.machine.added"; readonly payload: MachineInput }
  | { readonly type: "user.token.added"; readonly payload: { readonly tokenId: string } & Token }
  | { readonly type: "user.token.removed"; readonly payload: { readonly tokenId: string } }
  | { readonly type: "user.membership.granted"; readonly payload: Membership }
  | { readonly type: "user.membership.removed"; readonly payload: Pick<Membership, "scope"> }
  | {
      readonly type: "user.deactivated" | "user.reactivated" | "user.removed";
      readonly payload: Nothing;
    }
  | HumanEvent;

export interface MachineInput {
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly accessTokenType: AccessTokenType;
}

/** The form of the access tokens that the user is issued. */
export type AccessTokenType = "BEARER" | "JWT";

/**
 * A personal access token: the SHA-256 of it in hexadecimal, and when it ends (Unix milliseconds).
 */
export interface Token {
  readonly tokenHash: string;
  readonly expirationMs?: number;
}

export interface UserState extends Status {
  readonly userName: string;
  /** The organization it belongs to. */
  readonly organization: string;
  readonly tokens: { readonly [tokenId: string]: Token };
  readonly memberships: readonly Membership[];
  /** Exactly one of the two says what kind of user it is. */
  readonly machine?: Omit<MachineInput, "userName">;
  readonly human?: HumanState;
}

/** How much one user may hold. */
export const userLimits = { tokens: 100, memberships: 500 } as const;

export const user: Noun<UserState, UserEvent> = {
  kind: "user",
  secrets: ["code", "codeHash", "passwordHash", "secret", "tokenHash"],
  messages,
  settles,
  evolve(state, event) {
    switch (event.type) {
      case "user.machine.added": {
        const { userName, ...machine } = event.payload;
        return { ...fresh(userName, event.owner), machine };
      }
      case "user.human.added": {
        const human = evolveHuman(undefined, event);
        return { ...fresh(event.payload.userName, event.owner), human };
      }
      case "user.token.added": {
        const { tokenId, ...token } = event.payload;
        const before = existing(state);
        return { ...before, tokens: { ...before.tokens, [tokenId]: token } };
      }
      case "user.token.removed": {
        const { [event.payload.tokenId]: _removed, ...tokens } = existing(state).tokens;
        return { ...existing(state), tokens };
      }
      case "user.membership.granted": {
        const before = existing(state);
        return { ...before, memberships: [...before.memberships, event.payload] };
      }
      case "user.membership.removed": {
        const { scope } = event.payload;
        const before = existing(state);
        const memberships = before.memberships.filter((held) => !sameScope(held.scope, scope));
        return { ...before, memberships };
      }
      case "user.deactivated":
        return withStatus(existing(state), true);
      case "user.reactivated":
        return withStatus(existing(state), false);
      case "user.removed":
        return undefined;
      default: {
        const before = existing(state);
        return { ...before, human: evolveHuman(before.human, event) };
      }
    }
  },
  claims: (state) => [
    { kind: "user.name", scope: "", value: foldName(state.userName) },
    // Who is counted among the owners of the instance is found by this.
    ...(isActiveOwner(state) ? [{ ...activeOwners, value: foldName(state.userName) }] : []),
    ...Object.values(state.tokens).map(({ tokenHash }) => tokenClaim(tokenHash)),
    ...(state.human === undefined ? [] : humanClaims(state.human)),
  ],
  row: (state) => {
    const { userName, organization, human } = state;
    const { firstName = "", lastName = "", nickName = "", email = "" } = human ?? {};
    const displayName = shownUserName(state);
    const type = human === undefined ? "MACHINE" : "HUMAN";
    const names = { userName, firstName, lastName, nickName, displayName };
    return { parent: organization, fields: { ...names, email, type, state: statusOf(state) } };
  },
};

/** The name that others see. */
export function shownUserName({ human, machine }: UserState): string {
  return human?.displayName ?? machine?.name ?? "";
}

/** How people see the status of a user: initial until the person has taken the account over. */
export function statusOf({ isInactive, human }: UserState): "ACTIVE" | "INACTIVE" | "INITIAL" {
  if (isInactive) return "INACTIVE";
  return human?.initialization === undefined ? "ACTIVE" : "INITIAL";
}

/** The claims of which each active owner of the instance holds one. */
export const activeOwners = { kind: "instance.owner", scope: "" } as const;

/** Whether the user can act for the instance as long as nobody changes that: by a lasting token. */
export function isActiveOwner({ isInactive, memberships, tokens }: UserState): boolean {
  const isOwner = memberships.some(
    ({ scope, roles }) => scope.level === "instance" && roles.includes("IAM_OWNER"),
  );
  const lasting = Object.values(tokens).some(({ expirationMs }) => expirationMs === undefined);
  return isOwner && lasting && !isInactive;
}

/** How the holder of a token is found. */
export function tokenClaim(tokenHash: string): Claim {
  return { kind: "user.token", scope: "", value: tokenHash };
}

function fresh(userName: string, organization: string): UserState {
  return { userName, organization, tokens: {}, memberships: [] };
}
