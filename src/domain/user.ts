import { accept, type Decision, invalid, reject, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Noun, unknownEvent } from "./noun.ts";
import {
  holds,
  holdsAll,
  holdsRole,
  isRole,
  type Membership,
  type Permission,
  type Role,
  rolesOf,
  type Scope,
  sameScope,
} from "./permission.ts";
import { isIn, type ProjectState, projectNotFound } from "./project.ts";

/** A user: so far a machine, with its personal access tokens and its memberships. */
export type UserEvent =
  | { readonly type: "user.machine.added"; readonly payload: MachineInput }
  | { readonly type: "user.token.added"; readonly payload: { readonly tokenId: string } & Token }
  | { readonly type: "user.token.removed"; readonly payload: { readonly tokenId: string } }
  | { readonly type: "user.membership.granted"; readonly payload: Membership };

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

export interface UserState extends MachineInput {
  /** The organization it belongs to. */
  readonly organization: string;
  readonly tokens: { readonly [tokenId: string]: Token };
  readonly memberships: readonly Membership[];
}

/** How much one user may hold. */
export const userLimits = { tokens: 100, memberships: 500 } as const;

export const user: Noun<UserState, UserEvent> = {
  kind: "user",
  evolve(state, event) {
    switch (event.type) {
      case "user.machine.added":
        return { ...event.payload, organization: event.owner, tokens: {}, memberships: [] };
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
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ userName, tokens }) => [
    { kind: "user.name", scope: "", value: foldName(userName) },
    ...Object.values(tokens).map(({ tokenHash }) => tokenClaim(tokenHash)),
  ],
  row: ({ userName, name }) => ({ parent: "", fields: { userName, displayName: name } }),
};

/** How the holder of a token is found. */
export function tokenClaim(tokenHash: string) {
  return { kind: "user.token", scope: "", value: tokenHash };
}

/** Whether the user has the token and it has not ended. */
export function hasToken(state: UserState, tokenHash: string, nowMs: number): boolean {
  const token = Object.values(state.tokens).find((held) => held.tokenHash === tokenHash);
  return token !== undefined && (token.expirationMs === undefined || nowMs < token.expirationMs);
}

type UserDecision = Decision<{ user?: readonly UserEvent[] }>;

export function addMachineUser(input: MachineInput): UserDecision {
  const violations = [
    ...nameViolations("user_name", input.userName),
    ...nameViolations("name", input.name),
  ];
  if (violations.length > 0) return invalid(violations);
  return accept({ user: [{ type: "user.machine.added", payload: input }] });
}

/** Who acts on a user: the memberships as they are when the decision is made. */
interface Acting {
  readonly user: UserState | undefined;
  readonly caller: UserState | undefined;
}

export function addToken(
  { user: state, caller }: Acting,
  input: { readonly organization: string; readonly tokenId: string } & Token,
  nowMs: number,
): UserDecision {
  const { organization, tokenId, tokenHash, expirationMs } = input;
  if (expirationMs !== undefined && expirationMs <= nowMs) {
    return invalid([{ field: "expiration_date", description: "must lie in the future" }]);
  }
  if (state === undefined || state.organization !== organization) return userNotFound();
  if (!holdsAll(caller?.memberships ?? [], state.memberships)) return escalation("The user");
  if (Object.keys(state.tokens).length >= userLimits.tokens) {
    return reject(
      "LIMIT_REACHED",
      `The user has ${userLimits.tokens} personal access tokens: remove one first.`,
    );
  }
  const token = { tokenId, tokenHash, ...(expirationMs === undefined ? {} : { expirationMs }) };
  return accept({ user: [{ type: "user.token.added", payload: token }] });
}

export function removeToken(
  { user: state, caller }: Acting,
  { organization, tokenId }: { readonly organization: string; readonly tokenId: string },
): UserDecision {
  if (state === undefined || state.organization !== organization) return userNotFound();
  // Who may not act on the user learns nothing about its tokens either.
  if (!holdsAll(caller?.memberships ?? [], state.memberships)) return escalation("The user");
  if (!Object.hasOwn(state.tokens, tokenId)) {
    return reject("TOKEN_NOT_FOUND", "The user has no personal access token with this id.");
  }
  return accept({ user: [{ type: "user.token.removed", payload: { tokenId } }] });
}

/** What makes someone a member; the permission is the one that the caller's method needs. */
export interface Grant {
  readonly scope: Scope;
  readonly roles: readonly string[];
  readonly permission: Permission;
}

export function grantMembership({ user: state, caller }: Acting, grant: Grant): UserDecision {
  const { scope, permission } = grant;
  const granted = [...new Set(grant.roles)].filter(isRole);
  const violations = roleViolations(grant.roles, scope);
  if (violations.length > 0) return invalid(violations);

  const callers = caller?.memberships ?? [];
  if (state === undefined || !holds(callers, permission, homeOf(state))) return userNotFound();
  if (!granted.every((role) => holdsRole(callers, role, scope))) return escalation("The role");
  if (state.memberships.some((membership) => sameScope(membership.scope, scope))) {
    return reject("MEMBER_EXISTS", "The user is a member there already.");
  }
  if (state.memberships.length >= userLimits.memberships) {
    return reject("LIMIT_REACHED", `The user has ${userLimits.memberships} memberships.`);
  }
  return accept({
    user: [{ type: "user.membership.granted", payload: { scope, roles: granted } }],
  });
}

/** As `grantMembership`, for a project that the organization of the scope must have. */
export function addProjectMember(
  states: Acting & { readonly project: ProjectState | undefined },
  grant: Grant & { readonly scope: { readonly level: "project" } },
): UserDecision {
  const violations = roleViolations(grant.roles, grant.scope);
  if (violations.length > 0) return invalid(violations);
  const exists = isIn(states.project, grant.scope.organization);
  return exists ? grantMembership(states, grant) : projectNotFound();
}

/** The first user of an instance: a machine that owns it. */
export function setUpOwner(input: {
  readonly userName: string;
  readonly name: string;
  readonly token: string;
  readonly tokenHash: string;
}): readonly UserEvent[] {
  const { userName, name, token, tokenHash } = input;
  return [
    {
      type: "user.machine.added",
      payload: { userName, name, description: "", accessTokenType: "BEARER" },
    },
    {
      type: "user.membership.granted",
      payload: { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
    },
    { type: "user.token.added", payload: { tokenId: token, tokenHash } },
  ];
}

function homeOf({ organization }: UserState): Scope {
  return { level: "organization", organization };
}

function roleViolations(given: readonly string[], scope: Scope): readonly Violation[] {
  const possible: readonly Role[] = rolesOf(scope.level);
  return given.flatMap((role, index) =>
    isRole(role) && possible.includes(role)
      ? []
      : [{ field: `roles[${index}]`, description: `must be one of ${possible.join(", ")}` }],
  );
}

function userNotFound(): UserDecision {
  return reject(
    "USER_NOT_FOUND",
    "There is no such user in an organization where the caller may do this.",
  );
}

function escalation(what: string): UserDecision {
  return reject(
    "ESCALATION_DENIED",
    `${what} holds permissions that the caller does not: only who holds them all may do this.`,
  );
}
