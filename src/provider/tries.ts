import { foldName } from "../domain/name.ts";
import { knowsBrowser, type Visitor } from "../domain/user/login.ts";
import { loginLimits } from "../domain/user/login-state.ts";
import { hashSecret } from "../secrets/tokens.ts";
import type { ProviderParts } from "./parts.ts";
import type { FoundUser } from "./rows.ts";

/** Who tries, as whom, and from where. */
export interface Try extends Visitor {
  /** Who somebody claims to be. */
  readonly name: string;
  /** The user who has that name, if anybody has. */
  readonly found: FoundUser | undefined;
  /** What the request counts for; undefined where it has no share of its own. */
  readonly address: string | undefined;
}

/** Whether a try counts: past the bound of an address nothing is looked at any more. */
export type Counted = "counts" | "too many" | "too many of the address";

/**
 * Counts a try before anything is compared, so that no number of them at once gets past a bound,
 * from however many processes. Names that nobody has are counted as others are.
 */
export async function countTry(
  { store: { artifacts }, now }: Pick<ProviderParts, "store" | "now">,
  { name, found, browser, address }: Try,
): Promise<Counted> {
  const nowMs = now();
  const count = (what: string) =>
    artifacts.count(`tries:${hashSecret(what)}`, nowMs + loginLimits.lockedMs, nowMs);
  if (address !== undefined && (await count(`address ${address}`)) > loginLimits.triesOfAddress) {
    return "too many of the address";
  }
  const whose = found === undefined ? `name ${foldName(name)}` : bucketOf(found, browser);
  return (await count(whose)) > loginLimits.failures ? "too many" : "counts";
}

/**
 * What the tries of a user are counted under: those of a browser that is known by itself, so that
 * strangers use none of them up, and all others since failures were counted anew.
 */
function bucketOf({ userId, state }: FoundUser, browser: string | undefined): string {
  const { human } = state;
  const isKnown = browser !== undefined && human !== undefined && knowsBrowser(human, browser);
  return isKnown
    ? `user ${userId} browser ${browser} ${human.login?.sinceMs}`
    : `user ${userId} ${human?.login?.sinceMs ?? 0}`;
}
