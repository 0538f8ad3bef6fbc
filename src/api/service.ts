import type { Execute, Outcome, Written } from "../execute/execute.ts";
import type { Feed } from "../feed.ts";
import type { Fetch } from "../fetch/fetcher.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";
import { Refused } from "./call.ts";

/** What the handlers are made of; time, randomness, ids and the network come from outside. */
export interface Service {
  readonly execute: Execute;
  /** For reading only: what is written goes through `execute`. */
  readonly store: Pick<Store, "head" | "list" | "load" | "search">;
  readonly feed: Feed;
  /** A new id that sorts after those before it. */
  readonly newId: () => string;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly keyring: Keyring;
  readonly passwords: Passwords;
  /** For URLs that callers give. */
  readonly fetch: Fetch;
  /** Where people reach the service, without a slash at the end. */
  readonly publicUrl: () => string;
}

/** What the command wrote to its one stream. Throws `Refused` where it was refused. */
export function written(outcome: Outcome): Written {
  const [only] = accepted(outcome);
  if (only === undefined) throw new TypeError("the command was accepted without an event");
  return only;
}

/** What the command wrote, which may be nothing. Throws `Refused` where it was refused. */
export function accepted(outcome: Outcome): readonly Written[] {
  switch (outcome.kind) {
    case "done":
      return outcome.written;
    case "rejected":
      throw new Refused(outcome.rejection);
    case "conflict":
      throw new Refused({
        reason: "CONFLICT",
        message: "Others changed the same objects again and again: repeat the call.",
      });
  }
}
