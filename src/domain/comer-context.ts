import type { Comer, ExternalComer } from "./comer.ts";
import type { SaidClaims } from "./identity.ts";
import { type ClaimedUser, userForActions } from "./user/claims.ts";

/** What actions are told of each login. */
export interface ToldLogin {
  readonly organization: { readonly id: string; readonly name: string };
  /** The client id of the application. */
  readonly applicationId: string;
  readonly callbackUri: string;
  readonly loginHint: string;
}

/** A login at a provider, as far as actions are told of it. */
export interface ToldArrival extends ToldLogin {
  readonly idpId: string;
  readonly claims: SaidClaims;
  /** What the provider has given; left out where actions may not have it. */
  readonly tokens?: object;
  /** The person who is linked; left out, nobody is. */
  readonly person?: ClaimedUser;
}

/** What actions are told when somebody has come from a provider. */
export function contextOfArrival(
  comer: ExternalComer,
  { idpId, claims, tokens, person, ...login }: ToldArrival,
) {
  const externalUser = {
    ...{ externalId: comer.externalUserId, externalIdpId: idpId },
    ...{ preferredUsername: comer.userName, human: humanOf(comer) },
  };
  const user = person && { user: { ...userForActions(person), metadata: [] } };
  const told = { externalUser, authError: "none", providerInfo: claims };
  return { ...tokens, claims, v1: { ...told, ...user, ...shared(login) } };
}

/** What actions are told before a person is created. */
export function contextOfNew(comer: Comer, login: ToldLogin) {
  return { v1: { user: { username: comer.userName, human: humanOf(comer) }, ...shared(login) } };
}

/** What actions are told of a person who was created, or has logged in. */
export function contextOfPerson(person: ClaimedUser, login: ToldLogin, authMethod?: AuthMethod) {
  const by = authMethod === undefined ? {} : { authMethod, authError: "none" };
  return { v1: { user: { ...userForActions(person), metadata: [] }, ...by, ...shared(login) } };
}

/** How somebody has logged in, in the words of the compatible API. */
export type AuthMethod = "password" | "OTP" | "passwordless";

function shared({ organization, ...authRequest }: ToldLogin) {
  return { authRequest, org: { ...organization, metadata: [] } };
}

function humanOf(comer: Comer) {
  const { firstName, lastName, nickName, displayName, preferredLanguage, gender } = comer;
  const { email, isEmailVerified, emailVerifiedBy, phone, phoneVerifiedBy } = comer;
  return {
    ...{ firstName, lastName, nickName, displayName, preferredLanguage, gender, email },
    isEmailVerified: isEmailVerified || emailVerifiedBy !== undefined,
    ...(phone === "" ? {} : { phone, isPhoneVerified: phoneVerifiedBy !== undefined }),
  };
}
