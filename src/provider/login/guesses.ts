import { networksAround } from "../../gateway/client.ts";
import { HashingOverloaded } from "../../secrets/passwords/threads.ts";
import { createShares, createSlots } from "../../slots.ts";
import type { ProviderParts } from "../parts.ts";
import { kindOf, type Try } from "./tries.ts";

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
 * few places for each address and the networks around it, and half of all. Each known browser has
 * few places, too. Rejects with HashingOverloaded where too many wait.
 */
export function createGuess({ passwords }: Pick<ProviderParts, "passwords">): Guess {
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
  const ofStranger = <Result>(address: string | undefined, work: () => Promise<Result>) => {
    if (address === undefined) return machine.run(work);
    const [subscriber, site] = networksAround(address);
    if (subscriber === undefined || site === undefined) return addresses.run(address, work);
    const ofSubscriber = () => subscribers.run(subscriber, () => sites.run(site, work));
    return addresses.run(address, ofSubscriber);
  };
  const inTurn = <Result>(by: Typist, work: (isOfStranger: boolean) => Promise<Result>) => {
    if (kindOf(by) === "strangers") return ofStranger(by.address, () => work(true));
    const whose = `${by.found?.userId} ${by.browser}`;
    return browsers.run(whose, () => work(false));
  };
  const guess = (by: Typist, { password, hash }: { password: string; hash: string }) =>
    inTurn(by, (isOfStranger) => passwords.verifyPassword(password, hash, { isOfStranger }));
  const hash = (by: Typist, password: string) => inTurn(by, () => passwords.hashPassword(password));
  return Object.assign(guess, { hash });
}

function overloaded(): Error {
  return new HashingOverloaded();
}
