import { HashingOverloaded } from "../../secrets/passwords/threads.ts";
import { createShares, createSlots } from "../../slots.ts";
import type { ProviderParts } from "../parts.ts";
import { kindOf, type Try } from "./tries.ts";

/** Passwords that strangers type, from when they are there until they are compared. */
export const guessLimits = {
  /** Those of one address that are before the threads at a time. */
  ofAddress: 2,
  /** Those of it that wait for that. */
  waitingOfAddress: 100,
  /** The same of all where no address is known. */
  ofMachine: 50,
  waitingOfMachine: 500,
} as const;

/** Compares what people type with a hash, so that no address keeps the others waiting. */
export type Guess = (
  by: Omit<Try, "name">,
  typed: { readonly password: string; readonly hash: string },
) => Promise<boolean>;

/**
 * Makes the function that compares passwords. Known browsers do not wait for strangers, who have
 * few places for each address, and half of all. Rejects with HashingOverloaded where too many wait.
 */
export function createGuess({ passwords }: Pick<ProviderParts, "passwords">): Guess {
  const overloaded = () => new HashingOverloaded();
  const { ofAddress, waitingOfAddress, ofMachine, waitingOfMachine } = guessLimits;
  const addresses = createShares({
    ...{ concurrentMax: ofAddress, waitingMax: waitingOfAddress, overloaded },
  });
  const machine = createSlots({
    ...{ concurrentMax: ofMachine, waitingMax: waitingOfMachine, overloaded },
  });
  return (by, { password, hash }) => {
    const isOfStranger = kindOf(by) === "strangers";
    const verify = () => passwords.verifyPassword(password, hash, { isOfStranger });
    if (!isOfStranger) return verify();
    return by.address === undefined ? machine.run(verify) : addresses.run(by.address, verify);
  };
}
