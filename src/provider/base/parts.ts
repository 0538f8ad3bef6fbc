import type { Logger } from "pino";
import type { Sandbox } from "../../actions/sandbox.ts";
import type { Alias } from "../../alias.ts";
import { type Factor, factors } from "../../domain/user/state/factor.ts";
import type { Execute } from "../../execute/execute.ts";
import type { LogRefusals } from "../../gateway/call/call.ts";
import type { Client } from "../../gateway/call/client.ts";
import type { KeyPairs } from "../../secrets/key-pairs.ts";
import type { Keyring } from "../../secrets/keyring.ts";
import type { Passwords } from "../../secrets/passwords/passwords.ts";
import type { RandomBytes } from "../../secrets/tokens.ts";
import type { Objects } from "../../store/objects.ts";
import type { Store } from "../../store/store.ts";
import type { ClientStreams } from "./client-streams.ts";
import type { Ring } from "./ring.ts";
import type { Unit } from "./unit.ts";

/** What the provider is made of; time and randomness come from outside. */
export interface ProviderParts extends LogRefusals {
  readonly store: Pick<Store, "find" | "holders" | "list" | "load" | "search">;
  /** What belongs together of one request. */
  readonly unit: Unit;
  /** What lies there, as it is now. */
  readonly objects: Pick<Objects, "current" | "seen">;
  readonly clientStreams: ClientStreams;
  /** Where what strangers begin is kept. */
  readonly ring: Ring;
  readonly execute: Execute;
  readonly keyring: Keyring;
  readonly keyPairs: KeyPairs;
  readonly passwords: Passwords;
  readonly random: RandomBytes;
  /** A new id that sorts after those before it. */
  readonly newId: () => string;
  /** For scripts of actions. */
  readonly sandbox: Pick<Sandbox, "run">;
  /** Refuses what an action has to be run for that failed, and may not. */
  readonly refuseFailedAction: () => never;
  /** The time of the log (Unix milliseconds), which may be ahead of that of the machine. */
  readonly now: () => number;
  /** The time of the machine (Unix milliseconds), with which others compare theirs. */
  readonly machineNow: () => number;
  /** The address at which people reach the service, without a slash at the end: the issuer. */
  readonly publicUrl: () => string;
  /** The name by which scopes and claims are known as well, where there is one. */
  readonly alias: Alias | undefined;
  /** Whether actions are told the tokens that identity providers give. */
  readonly actionsTokens: boolean;
  /** Whether events of logins have the network that they come from. */
  readonly eventNetworks: boolean;
  readonly log: Logger;
  readonly logRequest: (line: RequestLine) => void;
  /** Counts a factor that somebody has shown, right or wrong. */
  readonly countFactor: (shown: ShownFactor) => void;
}

/** A factor that somebody has shown to log in to an application. */
export interface ShownFactor {
  /** The client id. */
  readonly application: string;
  readonly factor: Factor;
  readonly outcome: "success" | "failure";
}

/** How many there are of one application that differ: each factor, right or wrong. */
export const shownFactorKinds = 2 * Object.keys(factors).length;

/**
 * What is logged of a request: whereto and from where, what came of it, why it was refused, and
 * never a word of what was sent or answered.
 */
export interface RequestLine extends Partial<Client> {
  /** The id that its answer has in the header `x-request-id`. */
  readonly requestId: string;
  readonly verb: string;
  /** The path as it is registered, for example `/oauth/v2/authorize/:uid`. */
  readonly path: string | undefined;
  /** What was answered; `unansweredStatus` where the connection closed before. */
  readonly status: number;
  readonly durationMs: number;
  /** In the words of the protocol, for example `invalid_grant`. */
  readonly error?: string;
  /** What was wrong, where the library says so in words of its own. */
  readonly problem?: string;
  /** The application that asked, where it is one. */
  readonly clientId?: string;
}

/** Milliseconds by which the time of the log is ahead of that of the machine. */
export function aheadMs({ now, machineNow }: Pick<ProviderParts, "now" | "machineNow">): number {
  return now() - machineNow();
}
