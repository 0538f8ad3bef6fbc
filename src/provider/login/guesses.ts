import { loginLimits } from "../../domain/user/login/limits.ts";
import { networksAround } from "../../gateway/call/client.ts";
import { HashingOverloaded, type Waits } from "../../secrets/passwords/threads.ts";
import { createShares, createSlots } from "../../slots.ts";
import type { ProviderParts } from "../base/parts.ts";
import { kindOf, type Try } from "../base/tries.ts";
import { createRecent } from "./recent.ts";

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
  /** Addresses, of IPv6 the /48, of which it is known how many were compared of late. */
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
}

/**
 * Makes the functions that compare and hash. Known browsers do not wait for strangers. Those have
 * few places for each address and the networks around it, and half of all. There, whose address had
 * the fewest compared of late comes first, so that no number of addresses keeps a new one out. Each
 * known browser has few places, too. Rejects with HashingOverloaded where too many wait.
 */
export function createGuess({ passwords, now }: Pick<ProviderParts, "passwords" | "now">): Guess {
  const limits = guessLimits;
  const sharesOf = (concurrentMax: number, waitingMax: number) =>
    createShares({ concurrentMax, waitingMax, overloaded });
  const browsers = sharesOf(limits.ofBrowser, limits.waitingOfBrowser);
  const addresses = sharesOf(limits.ofAddress, limits.waitingOfAddress);
  const subscribers = sharesOf(limits.ofSubscriber, limits.waitingOfSubscriber);
  const sites = sharesOf(limits.ofSite, limits.waitingOfSite);
  const machine = createSlots({
    ...{ concurrentMax: limits.ofMachine, waitingMax: limits.waitingOfMachine, overloaded },
  });
  const recent = createRecent({ windowMs: loginLimits.lockedMs, keysMax: limits.remembered, now });
  const inShare = <Result>(address: string | undefined, work: () => Promise<Result>) => {
    if (address === undefined) return machine.run(work);
    const [subscriber, site] = networksAround(address);
    if (subscriber === undefined || site === undefined) return addresses.run(address, work);
    const ofSubscriber = () => subscribers.run(subscriber, () => sites.run(site, work));
    return addresses.run(address, ofSubscriber);
  };
  const ofStranger = async <Result>(address: string | undefined, work: Work<Result>) => {
    const [, site] = address === undefined ? [] : networksAround(address);
    const { times: rank, takeBack } = recent.count(site ?? address ?? "unknown to us");
    let isTakenBack = true;
    try {
      const result = await inShare(address, () => work({ rank }));
      // Many who share an address may log in there.
      isTakenBack = result === true;
      return result;
    } finally {
      if (isTakenBack) takeBack();
    }
  };
  const inTurn = <Result>(by: Typist, work: Work<Result>) => {
    if (kindOf(by) === "strangers") return ofStranger(by.address, work);
    const whose = `${by.found?.userId} ${by.browser}`;
    return browsers.run(whose, () => work({}));
  };
  const guess = (by: Typist, { password, hash }: { password: string; hash: string }) =>
    inTurn(by, (waits) => passwords.verifyPassword(password, hash, waits));
  const hash = (by: Typist, password: string) =>
    inTurn(by, (waits) => passwords.hashPassword(password, waits));
  return Object.assign(guess, { hash });
}

/** What is done with a password once it is its turn. */
type Work<Result> = (waits: Waits) => Promise<Result>;

function overloaded(): Error {
  return new HashingOverloaded();
}
