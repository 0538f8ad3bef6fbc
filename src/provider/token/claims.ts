import { claimsOf, claimsOfScope } from "../../domain/user/claims.ts";
import type { FoundUser } from "../base/rows.ts";

/** What is told of a person for the scopes, and for claims that are asked for by name. */
export function toldClaims(found: FoundUser, scope: string, asked: readonly string[]) {
  const scopes = scope.split(" ");
  const ofScopes = Object.entries(claimsOfScope).flatMap(([name, names]) =>
    scopes.includes(name) ? [...names] : [],
  );
  const told = new Set<string>([...ofScopes, ...asked]);
  return Object.fromEntries(Object.entries(claimsOf(found)).filter(([name]) => told.has(name)));
}
