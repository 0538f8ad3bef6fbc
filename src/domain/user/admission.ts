import { reject } from "../decision.ts";
import { holds, type Permission, type Scope } from "../permission.ts";
import type { UserDecision } from "./acting.ts";
import { hasToken } from "./token.ts";
import type { UserState } from "./user.ts";

/** What a caller was let in with, for decisions that are made some time after that. */
export interface Admission {
  /** The SHA-256 of the token in hexadecimal. */
  readonly tokenHash: string;
  readonly permission: Permission;
  readonly scope: Scope;
}

/** The refusal where the caller has lost the token or the permission meanwhile. */
export function lostAdmission(
  caller: UserState | undefined,
  { tokenHash, permission, scope }: Admission,
  nowMs: number,
): UserDecision | undefined {
  if (caller === undefined || !hasToken(caller, tokenHash, nowMs)) {
    return reject(
      "UNAUTHENTICATED",
      "A valid token is needed: send `authorization: Bearer <token>`.",
    );
  }
  if (holds(caller.memberships, permission, scope)) return undefined;
  return reject(
    "PERMISSION_DENIED",
    "The caller does not hold the permission that this method needs.",
  );
}
