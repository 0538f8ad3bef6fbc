import { type Access, type Accessing, isGood } from "./access.ts";
import { type Rejection, rejectionFor } from "./decision.ts";
import { holds, type Permission, type Scope } from "./permission.ts";
import { hasToken } from "./user/credential/token.ts";
import type { UserState } from "./user/state/user.ts";

/** The token that a caller has shown: a personal one, or an access token. */
export type Shown =
  | {
      readonly kind: "personal";
      /** The SHA-256 of the token in hexadecimal. */
      readonly tokenHash: string;
    }
  | Access;

/**
 * The token and the permission that let a caller in. A caller who loses one before a decision is
 * made decides nothing.
 */
export interface Admission {
  readonly shown: Shown;
  /** Left out where the decision itself judges what the caller may. */
  readonly needs?: { readonly permission: Permission; readonly scope: Scope };
  /** What in the call chose the organization, for the refusal to say so. */
  readonly chosenBy?: string;
}

/** The refusal where the caller has lost the token or the permission meanwhile. */
export function judgeAdmission(
  states: Accessing,
  { shown, ...rest }: Admission,
  nowMs: number,
): Rejection | undefined {
  const { caller } = states;
  const isIn =
    shown.kind === "personal"
      ? caller !== undefined && hasToken(caller, shown.tokenHash, nowMs)
      : isGood(shown, states, nowMs);
  return isIn ? judgeNeeds(caller, rest) : rejectionFor("UNAUTHENTICATED");
}

/** The refusal where the caller, whose token is valid, has lost the permission. */
export function judgeNeeds(
  caller: UserState | undefined,
  { needs, chosenBy }: Omit<Admission, "shown">,
): Rejection | undefined {
  if (needs === undefined) return undefined;
  if (holds(caller?.memberships ?? [], needs.permission, needs.scope)) return undefined;
  return rejectPermission(needs.permission, chosenBy);
}

/**
 * The refusal of a caller who does not hold what is needed: alike for what belongs to others and
 * for what does not exist.
 */
export function rejectPermission(needed: string, chosenBy: string | undefined): Rejection {
  const where =
    chosenBy === undefined ? "" : ` The call acts on the organization that ${chosenBy} names.`;
  const what = `The caller does not hold the permission ${needed} that this method needs.`;
  return rejectionFor("PERMISSION_DENIED", what + where);
}
