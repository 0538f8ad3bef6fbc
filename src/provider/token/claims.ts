import { claimsOf } from "../../domain/user/claims.ts";
import type { FoundUser } from "../base/rows.ts";

/** The claims that each scope asks for (OIDC Core 1.0, 5.4). */
export const claimsOfScope = {
  openid: ["sub"],
  profile: [
    ...["name", "given_name", "family_name", "nickname", "preferred_username"],
    ...["locale", "gender", "updated_at"],
  ],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
} as const;

/** What is told of a person for the scopes, and for claims that are asked for by name. */
export function toldClaims(found: FoundUser, scope: string, asked: readonly string[]) {
  const scopes = scope.split(" ");
  const ofScopes = Object.entries(claimsOfScope).flatMap(([name, names]) =>
    scopes.includes(name) ? [...names] : [],
  );
  const told = new Set<string>([...ofScopes, ...asked]);
  return Object.fromEntries(Object.entries(claimsOf(found)).filter(([name]) => told.has(name)));
}
