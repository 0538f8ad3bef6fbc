import type { AdapterPayload, Grant } from "oidc-provider";
import { resetsOf } from "../../domain/user/login/reset.ts";
import { hasEnded } from "../../domain/user/state/session.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { apiAudience } from "./scopes.ts";

/** What is kept of a grant, which ends with all others when the password is reset. */
interface KeptGrant extends AdapterPayload {
  /** How often it was, when the person granted it; left out, never. */
  readonly resets?: number;
}

/**
 * Whether a grant is still one, of a person as it is now. What has ended by an event stays so,
 * though somebody puts its row back.
 */
export function isGranted(person: UserState | undefined, grant: KeptGrant): boolean {
  if (hasEnded(person, hashSecret(grant.jti ?? ""))) return false;
  return resetsOf(person) === (grant.resets ?? 0);
}

/** A grant as it is kept: as of the first time, however often it is extended. */
export function grantOf(
  person: UserState | undefined,
  grant: AdapterPayload,
  before: KeptGrant | undefined,
): KeptGrant {
  return { ...grant, resets: before === undefined ? resetsOf(person) : (before.resets ?? 0) };
}

/** The consent by which a grant lets an application act for a person. */
export function consentIn({ resources }: Pick<Grant, "resources">): string | undefined {
  return resources?.[apiAudience];
}
