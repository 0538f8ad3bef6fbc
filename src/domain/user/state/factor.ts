import type { Envelope } from "../../../event.ts";
import { mustExist } from "../../noun.ts";
import { type ExternalEvent, type ExternalHeld, external } from "./external-account.ts";
import type { FactorTraits, LoginTraits } from "./factor-traits.ts";
import type { Added } from "./human-state.ts";
import { type OTPEvent, type OTPHeld, otp } from "./otp.ts";
import { type PasskeyEvent, type PasskeyHeld, passkey } from "./passkey.ts";
import { type PasswordEvent, type PasswordHeld, password } from "./password.ts";
import { type RecoveryEvent, type RecoveryHeld, recovery } from "./recovery.ts";

const all = { password, otp, recovery, external, passkey } as const;

/** The events of all factors. Codes and secrets in payloads are sealed or hashed. */
export type FactorEvent = PasswordEvent | OTPEvent | RecoveryEvent | ExternalEvent | PasskeyEvent;

/** What a person gets in with. */
export interface Held extends PasswordHeld, OTPHeld, RecoveryHeld, ExternalHeld, PasskeyHeld {}

/** The name of something that a person shows to be let in. */
export type Factor = keyof typeof all;

/** What a person may show to be let in. */
export const factors: { readonly [factor in Factor]: LoginTraits<Held> } = all;

/** The name of a factor that is shown in place of a one-time code. */
export type StandIn = {
  [One in Factor]: (typeof all)[One]["comes"] extends "instead" ? One : never;
}[Factor];

/** All of those. The form of a login that leads to one has its name as the step. */
export const standIns = (Object.keys(all) as readonly Factor[]).filter(
  (factor): factor is StandIn => factors[factor].comes === "instead",
);

const every = Object.values(all);

/** The happening behind each event of a factor: see `Noun.events`. */
export const factorEvents = Object.fromEntries(
  every.flatMap(({ events }) => Object.entries(events)),
) as { readonly [type in FactorEvent["type"]]: string };

/** Fields with secrets of factors: see `Noun.secrets`. */
export const factorSecrets: readonly string[] = every.flatMap(({ secrets }) => [...secrets]);

/** The events of factors that are bounded by the day. */
export const countedEvents = every.flatMap(({ counted }) => [...counted]);

/** What a person gets in with that was just added. */
export function newFactors(event: Added & Envelope): Held {
  return Object.assign({}, ...every.map(({ begin }) => begin(event))) as Held;
}

const evolves = new Map<string, FactorTraits<Held, FactorEvent>["evolve"]>(
  every.flatMap(({ events, evolve }) => Object.keys(events).map((type) => [type, evolve] as const)),
);

/** Whether it is an event of a factor. */
export function isOfFactor<Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: FactorEvent["type"] }> {
  return evolves.has(event.type);
}

/** The person after an event of a factor. */
export function evolveFactor<State extends Held>(
  human: State,
  event: FactorEvent & Envelope,
): State {
  return mustExist(evolves.get(event.type))(human, event);
}

/** The same person without what any factor has of codes that a page showed once. */
export function withoutCodes<State extends Held>(human: State): State {
  return Object.values(factors).reduce((left, one) => one.withoutCodes?.(left) ?? left, human);
}
