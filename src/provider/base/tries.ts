import { foldName } from "../../domain/name.ts";
import { registerLimits } from "../../domain/registration/pending.ts";
import { externalLimits } from "../../domain/registration/register-external.ts";
import { mailboxOf } from "../../domain/sending.ts";
import { knowsBrowser, type Visitor } from "../../domain/user/login/login.ts";
import { resetLimits } from "../../domain/user/login/reset.ts";
import { codeLifetimesMs } from "../../domain/user/state/human-state.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { type ArtifactWrite, isStopped } from "../../store/artifact.ts";
import { deviceLimits } from "./device.ts";
import type { ProviderParts } from "./parts.ts";
import type { FoundUser } from "./rows.ts";

type Parts = Pick<ProviderParts, "unit" | "now">;

/** Who tries, as whom, and from where. */
export interface Try extends Visitor {
  /** Who somebody claims to be. */
  readonly name: string;
  /** The user who has that name, if anybody has. */
  readonly found: FoundUser | undefined;
  /** What the request counts for; undefined where it has no share of its own. */
  readonly address: string | undefined;
  /** How many tries of the person it counts for; left out, one. */
  readonly weight?: number;
  /** Whether it is a code, of which a known browser has so many a day; left out, it is none. */
  readonly isCode?: boolean;
}

/** Whether a try counts: past the bound of an address nothing is looked at any more. */
export type Counted = "counts" | "too many" | "too many of the day" | "too many of the address";

/**
 * Counts a try before anything is compared, so that no number of them at once gets past a bound,
 * from however many processes. Names that nobody has are counted as others are, and a known browser
 * that is past its own bound as strangers are.
 */
export async function countTry(site: Parts, given: Try): Promise<Counted> {
  const { artifacts } = site.unit;
  const one = counting(site, "tries", whoseOf(given));
  const ofPerson = Array.from({ length: given.weight ?? 1 }, () => one);
  const ofAddress = triesOfAddress(site, given.address);
  if (kindOf(given) === "known") {
    const ofDay = given.isCode ? [counting(site, "codes", codesOf(given))] : [];
    const [codes = 0, ...all] = await artifacts.write([...ofDay, ...ofPerson]);
    if (given.isCode && codes > loginLimits.codesOfDay) return "too many of the day";
    const uses = all.at(-1) ?? codes;
    if (uses <= loginLimits.failures) return "counts";
    return (await isWithin(site, [ofAddress])) ? "too many" : "too many of the address";
  }
  const [, ...all] = await artifacts.write([ofAddress, ...ofPerson]);
  const uses = all.at(-1);
  if (uses === undefined) return "too many of the address";
  return uses > loginLimits.failures ? "too many" : "counts";
}

/** Says that a try which was counted was right: those alone that are wrong use a bound up. */
export async function noteRight(site: Parts, given: Omit<Try, "name">): Promise<void> {
  const isKnown = kindOf(given) === "known";
  if (isKnown && !given.isCode) return;
  const key = isKnown ? keyOf("codes", codesOf(given)) : keyOf("tries", bucketAt(given.address));
  await site.unit.artifacts.later({ kind: "giveBack", key });
}

/**
 * Takes a try of a person back that was counted, where nothing was compared since the service was
 * busy, or where it was right and leads to no login. For the address it still counts.
 */
export async function takeBack(site: Parts, given: Omit<Try, "address">): Promise<void> {
  const key = keyOf("tries", whoseOf(given));
  await site.unit.artifacts.write([{ kind: "giveBack", key }]);
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
  return !(await isWithin(site, [triesOfAddress(site, address)]));
}

/** What counts a try for an address, and lets nothing follow where it is one too many. */
function triesOfAddress(site: Parts, address: Try["address"]): ArtifactWrite {
  const { triesOfMachine, triesOfAddress: ofAddress } = loginLimits;
  const most = address === undefined ? triesOfMachine : ofAddress;
  return counting(site, "tries", bucketAt(address), most);
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
  const whose = found === undefined ? `name ${foldName(name)}` : `user ${found.userId}`;
  const [, uses] = await site.unit.artifacts.write([
    counting(site, "asks", bucketAt(address), most),
    counting(site, "asks", whose),
  ]);
  if (uses === undefined) return "too many of the address";
  return uses > resetLimits.mailsOfPerson ? "too many" : "counts";
}

/**
 * Counts a request for a mail to register, for any e-mail address: for the network address
 * that asks, in all, and for the mailbox. Resolves to whether no bound is passed.
 */
export async function countRegistration(
  site: Parts,
  { email, address }: { readonly email: string; readonly address: Try["address"] },
): Promise<boolean> {
  const { asksOfAddress, asksOfSite, asksOfMachine, asks, mailsOfMailbox } = registerLimits;
  const most = address === undefined ? asksOfMachine : asksOfAddress;
  const around = siteOf(address);
  return await isWithin(site, [
    ...(around === undefined ? [] : [counting(site, "registrations", around, asksOfSite)]),
    counting(site, "registrations", bucketAt(address), most),
    counting(site, "mailboxes", "all", asks),
    counting(site, "mailboxes", mailboxOf(email), mailsOfMailbox),
  ]);
}

/**
 * Counts an account that is made for somebody who came by an identity provider: for the address.
 * Resolves to whether no bound is passed.
 */
export async function countCreated(site: Parts, address: Try["address"]): Promise<boolean> {
  const { createdOfAddress, createdOfSite, createdOfMachine } = externalLimits;
  const most = address === undefined ? createdOfMachine : createdOfAddress;
  const around = siteOf(address);
  return await isWithin(site, [
    ...(around === undefined ? [] : [counting(site, "created", around, createdOfSite)]),
    counting(site, "created", bucketAt(address), most),
  ]);
}

/** Counts a user name that somebody chose who registers, by the id of the registration. */
export async function countChosenName(site: Parts, id: string): Promise<boolean> {
  return await isWithin(site, [counting(site, "names", id, registerLimits.names)]);
}

/**
 * Counts that somebody enters the code of a device, before it is looked up: for a person who is
 * logged in, whose tries strangers do not use up; else for the address and for all strangers.
 * Resolves to what takes it back; undefined where a bound is passed.
 */
export async function countDeviceCode(
  site: Parts,
  by: { readonly userId: string | undefined; readonly address: Try["address"] },
): Promise<(() => Promise<void>) | undefined> {
  const counts = deviceCounts(site, by);
  if (!(await isWithin(site, counts))) return undefined;
  return async () => {
    for (const { key } of counts) await site.unit.artifacts.later({ kind: "giveBack", key });
  };
}

function deviceCounts(
  site: Parts,
  { userId, address }: Parameters<typeof countDeviceCode>[1],
): readonly Counting[] {
  const limits = deviceLimits;
  const count = (what: string, most: number) => counting(site, "devices", what, most);
  if (userId !== undefined) return [count(`user ${userId}`, limits.triesOfPerson)];
  if (address === undefined) return [count(bucketAt(address), limits.triesOfMachine)];
  const around = siteOf(address);
  return [
    ...(around === undefined ? [] : [count(around, limits.triesOfSite)]),
    count(bucketAt(address), limits.triesOfAddress),
    count("all", limits.tries),
  ];
}

/** Counts a request of a device for its tokens. Resolves to whether it comes too early. */
export async function isTooEarly(site: Parts, deviceCode: string): Promise<boolean> {
  return !(await isWithin(site, [counting(site, "polls", deviceCode, 1)]));
}

/** Writes as much for a name that nobody has as an event takes for one that somebody has. */
export async function countNobody({ unit: { artifacts }, now }: Parts): Promise<void> {
  await artifacts.write([{ kind: "count", key: "tries:nobody", expiresMs: now() + 1 }]);
}

/**
 * Whether an address may begin something more that is kept before anybody has said who it is: a
 * login, a session of nobody, or a question for a passkey. All of it together is bounded by the
 * ring in which it is kept.
 */
export async function countBegun(site: Parts, address: Try["address"]): Promise<boolean> {
  return await isWithin(site, begunOf(site, address));
}

/** What counts that for the address, and lets nothing follow where it is one too many. */
export function begunOf(site: Parts, address: Try["address"]): readonly ArtifactWrite[] {
  if (address === undefined) return [];
  const { begunOfSite, begunOfAddress } = loginLimits;
  const around = siteOf(address);
  const ofAddress = counting(site, "begun", address, begunOfAddress);
  return around === undefined
    ? [ofAddress]
    : [counting(site, "begun", around, begunOfSite), ofAddress];
}

/** The /48 around a /64 of IPv6, which one site may have; undefined for any other address. */
function siteOf(address: Try["address"]): string | undefined {
  const found = /^(.*):[^:]*::\/64$/.exec(address ?? "")?.[1];
  return found && `${found}::/48`;
}

/** Milliseconds for which something counts. */
const countedMs = {
  tries: loginLimits.lockedMs,
  codes: loginLimits.codesMs,
  begun: loginLimits.lockedMs,
  asks: codeLifetimesMs.password,
  registrations: registerLimits.asksMs,
  mailboxes: registerLimits.mailsMs,
  names: registerLimits.codeMs,
  created: externalLimits.createdMs,
  devices: deviceLimits.triesMs,
  polls: deviceLimits.earlyMs,
} as const;

type Counting = Extract<ArtifactWrite, { readonly kind: "count" }>;

/** What counts something, by itself or up to a bound. */
function counting(
  { now }: Parts,
  kind: keyof typeof countedMs,
  what: string,
  usesMax?: number,
): Counting {
  const bound = usesMax === undefined ? {} : { usesMax };
  return { kind: "count", key: keyOf(kind, what), expiresMs: now() + countedMs[kind], ...bound };
}

/** Counts, and resolves to whether no bound is passed. */
async function isWithin({ unit }: Parts, counts: readonly ArtifactWrite[]): Promise<boolean> {
  const uses = await unit.artifacts.write(counts);
  return counts.every((one, i) => !isStopped(one, uses[i] ?? 0));
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

/** What the codes of a known browser are counted under, whatever the person does in others. */
function codesOf({ found, browser }: Pick<Try, "found" | "browser">): string {
  return `user ${found?.userId} browser ${browser}`;
}

/** Whether a person has logged in with the browser before. */
function knows(found: Pick<FoundUser, "state"> | undefined, browser: string | undefined): boolean {
  const human = found?.state.human;
  return browser !== undefined && human !== undefined && knowsBrowser(human, browser);
}
