import type { UserState } from "./state/user.ts";

/** Claims of OpenID Connect (Core 1.0, 5.1). */
export interface PersonalClaims {
  readonly sub: string;
  readonly [name: string]: string | number | boolean;
}

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

/** A user of whom something is told. */
export interface ClaimedUser {
  readonly userId: string;
  readonly state: UserState;
}

/** All that is told of a person to those who may ask for it. */
export function claimsOf({ userId, state }: ClaimedUser): PersonalClaims {
  const { human } = state;
  if (human === undefined) return { sub: userId };
  const { email, isEmailVerified, phone, nickName, preferredLanguage, gender, updatedMs } = human;
  return {
    sub: userId,
    name: human.displayName,
    given_name: human.firstName,
    family_name: human.lastName,
    ...(nickName === "" ? {} : { nickname: nickName }),
    preferred_username: state.userName,
    ...(preferredLanguage === "" ? {} : { locale: preferredLanguage }),
    ...(gender === "UNSPECIFIED" ? {} : { gender: gender.toLowerCase() }),
    ...(updatedMs === undefined ? {} : { updated_at: Math.floor(updatedMs / 1_000) }),
    email,
    email_verified: isEmailVerified,
    ...(phone === undefined
      ? {}
      : { phone_number: phone.number, phone_number_verified: phone.isVerified }),
  };
}

/** A grant by which a user holds roles: their keys, at least one. */
export interface ToldGrant {
  readonly id: string;
  readonly projectId: string;
  readonly projectName: string;
  /** That by which the organization has the project; empty where that is its own. */
  readonly projectGrantId: string;
  readonly roles: readonly string[];
}

/** What actions are told besides of the user. */
export interface ToldContext {
  readonly organization: { readonly id: string; readonly name: string };
  /** Of the user: each value as text. */
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  readonly grants: readonly ToldGrant[];
  readonly claims: { readonly [name: string]: unknown };
}

/** The number that an active grant has in the compatible API. */
const activeGrant = 1;

/** What actions are told where they set claims. */
export function contextForActions(
  told: ClaimedUser,
  { organization, metadata, grants, claims }: ToldContext,
) {
  const org = { ...organization, metadata: [] };
  const shared = {
    ...{ userId: told.userId, state: activeGrant, userResourceOwner: organization.id },
    userGrantResourceOwner: organization.id,
    userGrantResourceOwnerName: organization.name,
  };
  const held = grants.map((one) => ({ ...one, ...shared }));
  const user = { metadata, grants: { count: held.length, grants: held } };
  return { v1: { user: { ...userForActions(told), ...user }, org, claims } };
}

/** A user as actions are told of it, in the words of the compatible API. */
export function userForActions({ userId, state }: ClaimedUser) {
  const { userName, organization, human } = state;
  const { email, isEmailVerified, phone, firstName, lastName, nickName } = human ?? {};
  const { displayName, preferredLanguage, gender } = human ?? {};
  return {
    ...{ id: userId, resourceOwner: organization, username: userName },
    ...{ loginNames: [userName], preferredLoginName: userName },
    ...(human && {
      human: {
        ...{ firstName, lastName, nickName, displayName, preferredLanguage, gender },
        ...{ email, isEmailVerified, phone: phone?.number, isPhoneVerified: phone?.isVerified },
      },
    }),
  };
}
