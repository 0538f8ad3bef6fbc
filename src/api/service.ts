import type { HandlerContext } from "@connectrpc/connect";
import type { Sandbox } from "../actions/sandbox.ts";
import { accept } from "../domain/decision.ts";
import type { Begins, Deed, Groups, Outcome, Refs, Written } from "../execute/command.ts";
import type { Execute } from "../execute/execute.ts";
import type { Usable } from "../execute/providers.ts";
import type { Fetch } from "../fetch/fetcher.ts";
import type { KeyPairs } from "../secrets/key-pairs.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { Feed } from "../store/feed.ts";
import type { Store } from "../store/store.ts";
import { actorOf, Refused, refuse } from "./call.ts";
import { changedDetails } from "./details.ts";
import type { Follower } from "./follow.ts";

/**
 * The parts that the handlers are made of; time, randomness, ids and the network come from outside.
 */
export interface Service {
  readonly execute: Execute;
  /** For reading only: what is written goes through `execute`. */
  readonly store: Pick<
    Store,
    | "artifacts"
    | "find"
    | "head"
    | "holders"
    | "linkAt"
    | "list"
    | "load"
    | "pendingMessages"
    | "readAll"
    | "readStream"
    | "recall"
    | "rememberedOf"
    | "search"
  >;
  readonly feed: Feed;
  /** How far each open watch has come. */
  readonly watched: Set<Pick<Follower, "after">>;
  /** A new id that sorts after those before it. */
  readonly newId: () => string;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly keyring: Keyring;
  readonly passwords: Passwords;
  readonly keyPairs: KeyPairs;
  /** For URLs that callers give. */
  readonly fetch: Fetch;
  /** For scripts of actions. */
  readonly sandbox: Pick<Sandbox, "run">;
  /** What is kept of the browser of a session; nothing where its time is over. */
  readonly findTraces: (sessionId: string) => Promise<SessionTraces>;
  /** Tries an identity provider without a person. */
  readonly tryProvider: (provider: Usable) => Promise<ProviderTrial>;
  /** The address at which people reach the service, without a slash at the end. */
  readonly publicUrl: () => string;
}

/** What a trial of an identity provider found, and where a person may walk a login at it. */
export interface ProviderTrial {
  readonly steps: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly found: string;
    readonly advice: string;
  }[];
  readonly loginUrl: string;
}

/** The browser of a session, as far as it is known, and when it was used last. */
export interface SessionTraces {
  readonly from?: {
    readonly browser?: string | undefined;
    readonly system?: string | undefined;
    /** In CIDR. */
    readonly network?: string | undefined;
  };
  /** Unix milliseconds. */
  readonly usedMs?: number;
}

/**
 * Resolves where the caller may still make the call, as its row says now: for work that costs much
 * and comes before anything is appended. Throws `Refused` otherwise.
 */
export async function confirmCaller(
  { execute }: Pick<Service, "execute">,
  context: HandlerContext,
): Promise<void> {
  requireDone(await execute({ ...actorOf(context), writes: {}, decide: () => accept({}) }));
}

/**
 * Does what a call wants done, and resolves with what that answers: the details of what was
 * changed, unless it says something else. Throws `Refused` where it was refused.
 */
export async function perform<
  Writes extends Refs,
  Relies extends Refs = Record<never, never>,
  Members extends Groups = Record<never, never>,
  Leads extends Refs = Record<never, never>,
  Answer = ReturnType<typeof detailsIn>,
  Begun extends Begins = Record<never, never>,
>(
  { execute }: Pick<Service, "execute">,
  context: HandlerContext,
  deed: Deed<Writes, Relies, Members, Leads, Answer, Begun>,
): Promise<Answer> {
  const { answer = detailsIn as (written: Written) => Answer } = deed;
  return requireDone(await execute({ ...actorOf(context), ...deed, answer })).answer;
}

/** What is answered of a change where nothing else is: the details of what was changed. */
export function detailsIn(written: Written) {
  return { details: changedDetails(written) };
}

/** The end of a command that was done. Throws `Refused` where it was refused. */
export function requireDone<Answer>(outcome: Outcome<Answer>) {
  switch (outcome.kind) {
    case "done":
      return outcome;
    case "rejected":
      throw new Refused(outcome.rejection);
    case "conflict":
      return refuse("CONFLICT");
  }
}
