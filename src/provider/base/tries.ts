import { foldName } from "../../domain/name.ts";
import { codeLifetimesMs } from "../../domain/user/human/state.ts";
import { loginLimits } from "../../domain/user/login/limits.ts";
import { knowsBrowser, type Visitor } from "../../domain/user/login/login.ts";
import { resetLimits } from "../../domain/user/login/reset.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "./parts.ts";
import type { FoundUser } from "./rows.ts";

type Parts = Pick<ProviderParts, "store" | "now">;

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
 * from however many processes. Names that nobody has are counted as others are, and a known browser
 * that is past its own bound as strangers are.
 */
export async function countTry(site: Parts, given: Try): Promise<Counted> {
  const { address } = given;
  const ofPerson = async () => (await count(site, "tries", whoseOf(given))) > loginLimits.failures;
  const isKnown = kindOf(given) === "known";
  if (isKnown && !(await ofPerson())) return "counts";
  if (await isTooManyOf(site, address)) return "too many of the address";
  return isKnown || (await ofPerson()) ? "too many" : "counts";
}

/** Says that a try which was counted was right: those alone that are wrong use an address up. */
export async function noteRight(site: Parts, given: Omit<Try, "name">): Promise<void> {
  if (kindOf(given) === "known") return;
  await site.store.artifacts.giveBack(keyOf("tries", bucketAt(given.address)), site.now());
}

/**
 * Takes a try of a person back that was counted, where nothing was compared: the service was busy.
 * It still counts for the address.
 */
export async function takeBack(site: Parts, given: Omit<Try, "address">): Promise<void> {
  await site.store.artifacts.giveBack(keyOf("tries", whoseOf(given)), site.now());
}

/** What a try counts for besides an address: a user, or a name that nobody has. */
function whoseOf({ name, found, browser }: Omit<Try, "address">): string {
  return found === undefined ? `name ${foldName(name)}` : bucketOf(found, browser);
}

/**
 * As who somebody tries from an address: strangers share its bound, and known is who has logged in
 * with the browser before, whom nobody else there keeps out.
 */
export function kindOf({ found, browser }: Pick<Try, "found" | "browser">): "strangers" | "known" {
  return knows(found, browser) ? "known" : "strangers";
}

/** Counts a try of a stranger for the address that it comes from: whether it is one too many. */
export async function isTooManyOf(site: Parts, address: Try["address"]): Promise<boolean> {
  const { triesOfMachine, triesOfAddress } = loginLimits;
  const most = address === undefined ? triesOfMachine : triesOfAddress;
  return (await count(site, "tries", bucketAt(address))) > most;
}

/** What the tries of an address are counted under; all where none is known count together. */
function bucketAt(address = "unknown to us"): string {
  return `address ${address}`;
}

/**
 * Counts that somebody asks for a mail to replace a password, in the same way: nobody's mailbox is
 * for others to fill, and no address asks for everybody.
 */
export async function countAsk(
  site: Parts,
  { name, found, address }: Pick<Try, "name" | "found" | "address">,
): Promise<Counted> {
  const most = address === undefined ? resetLimits.asksOfMachine : resetLimits.asksOfAddress;
  if ((await count(site, "asks", bucketAt(address))) > most) return "too many of the address";
  const whose = found === undefined ? `name ${foldName(name)}` : `user ${found.userId}`;
  return (await count(site, "asks", whose)) > resetLimits.mailsOfPerson ? "too many" : "counts";
}

/** Writes as much for a name that nobody has as an event takes for one that somebody has. */
export async function countNobody({ store: { artifacts }, now }: Parts): Promise<void> {
  await artifacts.count("tries:nobody", now() + 1, now());
}

/**
 * Whether an address may begin something more that is kept before anybody has said who it is: a
 * login, a session of nobody, or a question for a passkey. All of it together is bounded by the
 * ring in which it is kept.
 */
export async function countBegun(site: Parts, address: Try["address"]): Promise<boolean> {
  if (address === undefined) return true;
  const siteOf = /^(.*):[^:]*::\/64$/.exec(address)?.[1];
  if (siteOf !== undefined) {
    if ((await count(site, "begun", `${siteOf}::/48`)) > loginLimits.begunOfSite) return false;
  }
  return (await count(site, "begun", address)) <= loginLimits.begunOfAddress;
}

/** Milliseconds for which something counts. */
const countedMs = {
  tries: loginLimits.lockedMs,
  begun: loginLimits.lockedMs,
  asks: codeLifetimesMs.password,
} as const;

async function count(
  { store: { artifacts }, now }: Parts,
  kind: keyof typeof countedMs,
  what: string,
): Promise<number> {
  const nowMs = now();
  return await artifacts.count(keyOf(kind, what), nowMs + countedMs[kind], nowMs);
}

function keyOf(kind: keyof typeof countedMs, what: string): string {
  return `${kind}:${hashSecret(what)}`;
}

/**
 * What the tries of a user are counted under: those of a browser that is known by itself, so that
 * strangers use none of them up, and all others since failures were counted anew.
 */
function bucketOf({ userId, state }: FoundUser, browser: string | undefined): string {
  const { sinceMs = 0, knownSinceMs = sinceMs } = state.human?.login ?? {};
  return knows({ state }, browser)
    ? `user ${userId} browser ${browser} ${knownSinceMs}`
    : `user ${userId} ${sinceMs}`;
}

/** Whether a person has logged in with the browser before. */
function knows(found: Pick<FoundUser, "state"> | undefined, browser: string | undefined): boolean {
  const human = found?.state.human;
  return browser !== undefined && human !== undefined && knowsBrowser(human, browser);
}
