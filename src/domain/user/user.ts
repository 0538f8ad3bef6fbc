import type { Claim } from "../../event.ts";
import { foldName } from "../name.ts";
import { existing, type Noun } from "../noun.ts";
import type { Membership } from "../permission.ts";
import { messages, settles } from "./delivery.ts";
import { evolveHuman, type HumanEvent, type HumanState, humanClaims } from "./human-state.ts";

/** A user: a machine or a person, with its personal access tokens and its memberships. */
export type UserEvent =
  | { readonly type: "user.machine.added"; readonly payload: MachineInput }
  | { readonly type: "user.token.added"; readonly payload: { readonly tokenId: string } & Token }
  | { readonly type: "user.token.removed"; readonly payload: { readonly tokenId: string } }
  | { readonly type: "user.membership.granted"; readonly payload: Membership }
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

export interface UserState {
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
      default: {
        const before = existing(state);
        return { ...before, human: evolveHuman(before.human, event) };
      }
    }
  },
  claims: ({ userName, tokens, human }) => [
    { kind: "user.name", scope: "", value: foldName(userName) },
    ...Object.values(tokens).map(({ tokenHash }) => tokenClaim(tokenHash)),
    ...(human === undefined ? [] : humanClaims(human)),
  ],
  row: ({ userName, machine, human }) => ({
    parent: "",
    fields: {
      userName,
      type: human === undefined ? "machine" : "human",
      displayName: human?.displayName ?? machine?.name ?? "",
    },
  }),
};

/** How the holder of a token is found. */
export function tokenClaim(tokenHash: string): Claim {
  return { kind: "user.token", scope: "", value: tokenHash };
}

function fresh(userName: string, organization: string): UserState {
  return { userName, organization, tokens: {}, memberships: [] };
}
