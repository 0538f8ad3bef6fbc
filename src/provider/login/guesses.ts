import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { networksAround, providerNetworkAround } from "../../gateway/call/client.ts";
import { HashingOverloaded, type Waits } from "../../secrets/passwords/threads.ts";
import { createShares, createSlots } from "../../slots.ts";
import type { ProviderParts } from "../base/parts.ts";
import { kindOf, type Try } from "../base/tries.ts";
import { type Counted, createRecent } from "./recent.ts";

/** Passwords that people type, from when they are there until they are compared or hashed. */
export const guessLimits = {
  /** Those of strangers of one address that are before the threads at a time. */
  ofAddress: 2,
  /** Those of it that wait for that. */
  waitingOfAddress: 100,
  /** The same of a /56 of IPv6, which is what many subscribers have. */
  ofSubscriber: 4,
  waitingOfSubscriber: 200,
  /** The same of a /48 of IPv6, which is what a site may have. */
  ofSite: 8,
  waitingOfSite: 400,
  /** The same of all strangers where no address is known. */
  ofMachine: 50,
  waitingOfMachine: 500,
  /** The same of one person in a browser that is known. */
  ofBrowser: 2,
  waitingOfBrowser: 10,
  /** The same of one person in all browsers that are known. */
  ofPerson: 4,
  waitingOfPerson: 10,
  /** The same of all known browsers at an address, of IPv6 at a /48. */
  ofKnown: 8,
  waitingOfKnown: 400,
  /** Wrong ones of a person after which its known browsers wait as strangers, for a while. */
  wrongOfPerson: 20,
  /** So many wrong ones of a /24 of IPv4 or a /32 of IPv6 weigh as one more of each address. */
  weight: 100,
  /** Addresses (of IPv6 the /48), networks and persons, of each, whose wrong ones are counted. */
  remembered: 10_000,
} as const;

/** Who types a password, as far as it concerns whom that keeps waiting. */
export type Typist = Omit<Try, "name">;

/** What is done with passwords that people type, so that nobody keeps the others waiting. */
export interface Guess {
  /** Whether the hash is one of the password. Rejects as `Passwords.verifyPassword` does. */
  (by: Typist, typed: { readonly password: string; readonly hash: string }): Promise<boolean>;
  /** A hash of a password that replaces another. Rejects as `Passwords.hashPassword` does. */
  readonly hash: (by: Typist, password: string) => Promise<string>;
  /** The same of a password that was right, which counts against nobody. */
  readonly rehash: (by: Typist, password: string) => Promise<string>;
}

/**
 * Makes the functions that compare and hash. Known browsers do not wait for strangers, and have few
 * places for each browser, person and address, until a person has had too many that were wrong.
 * Strangers have few places for each address and the networks around it, and half of all. There,
 * whose address and network had the fewest wrong ones of late comes first: no number of tries keeps
 * those out that come from elsewhere, but as many new networks as there are places, at once, do.
 * Of known browsers, the person who asked least of late comes first, with right ones, too.
 * Rejects with HashingOverloaded where too many wait.
 */
export function createGuess({ passwords, now }: Pick<ProviderParts, "passwords" | "now">): Guess {
  const limits = guessLimits;
  const recentOf = () =>
    createRecent({ windowMs: loginLimits.lockedMs, keysMax: limits.remembered, now });
  const [addresses, networks, people] = [recentOf(), recentOf(), recentOf()];
  /** All that a person asked for in known browsers, refused or not: nobody else can add to it. */
  const asked = recentOf();
  const strangers = createStrangers();
  const known = createKnown();

  const ofStranger = async <Result>({ address }: Typist, { work, isRight }: Work<Result>) => {
    const ofAddress = addresses.count(siteOf(address));
    const ofNetwork = address && networks.count(providerNetworkAround(address));
    const rank = ofAddress.times + (ofNetwork ? (ofNetwork.times - 1) / limits.weight : 0);
    const counted = ofNetwork ? [ofAddress, ofNetwork] : [ofAddress];
    return await settle(counted, isRight, () =>
      strangers(address, () => work({ ranked: { kind: "strangers", rank } })),
    );
  };
  const ofKnown = <Result>(by: Typist, userId: string, { work }: Work<Result>) => {
    const ranked = { kind: "known", rank: asked.count(userId).times } as const;
    return known(by, userId, () => work({ ranked }));
  };
  const inTurn = async <Result>(by: Typist, one: Work<Result>) => {
    const { found } = by;
    if (found === undefined || kindOf(by) === "strangers") return await ofStranger(by, one);
    const ofPerson = people.count(found.userId);
    const isPast = ofPerson.times > limits.wrongOfPerson;
    const run = () => (isPast ? ofStranger(by, one) : ofKnown(by, found.userId, one));
    return await settle([ofPerson], one.isRight, run);
  };
  const guess = (by: Typist, { password, hash }: { password: string; hash: string }) =>
    inTurn(by, {
      work: (waits) => passwords.verifyPassword(password, hash, waits),
      // Many who share an address may log in there.
      isRight: (result) => result,
    });
  const hash = (by: Typist, password: string, isOfRight = false) =>
    inTurn(by, {
      work: (waits) => passwords.hashPassword(password, waits),
      isRight: () => isOfRight,
    });
  return Object.assign(guess, {
    hash: (by: Typist, password: string) => hash(by, password),
    rehash: (by: Typist, password: string) => hash(by, password, true),
  });
}

/** What is done with a password once it is its turn, and whether it turned out to be right. */
interface Work<Result> {
  readonly work: (waits: Waits) => Promise<Result>;
  readonly isRight: (result: Result) => boolean;
}

/** Takes back what was counted, where it was right or nothing was compared. */
async function settle<Result>(
  counted: readonly Counted[],
  isRight: (result: Result) => boolean,
  run: () => Promise<Result>,
): Promise<Result> {
  let isTakenBack = true;
  try {
    const result = await run();
    isTakenBack = isRight(result);
    return result;
  } finally {
    if (isTakenBack) for (const { takeBack } of counted) takeBack();
  }
}

/** The few places that strangers have at each address and in the networks around it. */
function createStrangers() {
  const limits = guessLimits;
  const addresses = sharesOf(limits.ofAddress, limits.waitingOfAddress);
  const subscribers = sharesOf(limits.ofSubscriber, limits.waitingOfSubscriber);
  const sites = sharesOf(limits.ofSite, limits.waitingOfSite);
  const machine = machineOf();
  return <Result>(address: string | undefined, work: () => Promise<Result>) => {
    if (address === undefined) return machine.run(work);
    const [subscriber, site] = networksAround(address);
    if (subscriber === undefined || site === undefined) return addresses.run(address, work);
    const ofSubscriber = () => subscribers.run(subscriber, () => sites.run(site, work));
    return addresses.run(address, ofSubscriber);
  };
}

/** Those of known browsers, for each browser, person and address. */
function createKnown() {
  const limits = guessLimits;
  const browsers = sharesOf(limits.ofBrowser, limits.waitingOfBrowser);
  const people = sharesOf(limits.ofPerson, limits.waitingOfPerson);
  const addresses = sharesOf(limits.ofKnown, limits.waitingOfKnown);
  const machine = machineOf();
  return <Result>({ browser, address }: Typist, userId: string, work: () => Promise<Result>) => {
    const there = () =>
      address === undefined ? machine.run(work) : addresses.run(siteOf(address), work);
    const ofPerson = () => people.run(userId, there);
    return browsers.run(`${userId} ${browser}`, ofPerson);
  };
}

/** Those of all whose address is not known. */
function machineOf() {
  const { ofMachine: concurrentMax, waitingOfMachine: waitingMax } = guessLimits;
  return createSlots({ concurrentMax, waitingMax, overloaded });
}

function sharesOf(concurrentMax: number, waitingMax: number) {
  return createShares({ concurrentMax, waitingMax, overloaded });
}

/** The address, or of IPv6 the /48: what one who guesses has many of is counted together. */
function siteOf(address: string | undefined): string {
  if (address === undefined) return "unknown to us";
  const [, site] = networksAround(address);
  return site ?? address;
}

function overloaded(): Error {
  return new HashingOverloaded();
}
