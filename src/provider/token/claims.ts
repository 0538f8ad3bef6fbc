import type { AccountClaims } from "oidc-provider";
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

/** All that is told of a person to those who may ask for it. */
export function claimsOf({ userId, state, changedMs }: FoundUser): AccountClaims {
  const { human } = state;
  if (human === undefined) return { sub: userId };
  const { email, isEmailVerified, phone, nickName, preferredLanguage, gender } = human;
  return {
    sub: userId,
    name: human.displayName,
    given_name: human.firstName,
    family_name: human.lastName,
    ...(nickName === "" ? {} : { nickname: nickName }),
    preferred_username: state.userName,
    ...(preferredLanguage === "" ? {} : { locale: preferredLanguage }),
    ...(gender === "UNSPECIFIED" ? {} : { gender: gender.toLowerCase() }),
    updated_at: Math.floor(changedMs / 1_000),
    email,
    email_verified: isEmailVerified,
    ...(phone === undefined
      ? {}
      : { phone_number: phone.number, phone_number_verified: phone.isVerified }),
  };
}

/** What is told of a person for the scopes, and for claims that are asked for by name. */
export function toldClaims(found: FoundUser, scope: string, asked: readonly string[]) {
  const scopes = scope.split(" ");
  const ofScopes = Object.entries(claimsOfScope).flatMap(([name, names]) =>
    scopes.includes(name) ? [...names] : [],
  );
  const told = new Set<string>([...ofScopes, ...asked]);
  return Object.fromEntries(Object.entries(claimsOf(found)).filter(([name]) => told.has(name)));
}
