import type { Envelope } from "../../../event.ts";
import type { EventsOf } from "../../noun.ts";
import { type ExternalEvents, type ExternalHeld, external } from "./external-account.ts";
import type { FactorTraits } from "./factor-traits.ts";
import type { Added } from "./human-state.ts";
import { type OTPEvents, type OTPHeld, otp } from "./otp.ts";
import { type PasskeyEvents, type PasskeyHeld, passkey } from "./passkey.ts";
import { newPassword, type PasswordEvents, type PasswordHeld, password } from "./password.ts";
import { type RecoveryEvents, type RecoveryHeld, recovery } from "./recovery.ts";

const all = { password, otp, passkey, external, recovery } as const;

/** What a person has to get in with. */
export interface Held extends PasswordHeld, OTPHeld, PasskeyHeld, ExternalHeld, RecoveryHeld {}

interface Events extends PasswordEvents, OTPEvents, PasskeyEvents, ExternalEvents, RecoveryEvents {}

/** The events of all factors. Codes and secrets in payloads are sealed or hashed. */
export type FactorEvent = EventsOf<Events>;

/** The name of something that a person shows to be let in. */
export type Factor = keyof typeof all;

/** What a person may show to be let in. */
export const factors: { readonly [factor in Factor]: FactorTraits<Held> } = all;

/** The name of a factor that is shown in place of a one-time code. */
export type StandIn = {
  [One in Factor]: (typeof all)[One]["comes"] extends "instead" ? One : never;
}[Factor];

/** All of those. The form of a login that leads to one has its name as the step. */
export const standIns = (Object.keys(all) as readonly Factor[]).filter(
  (factor): factor is StandIn => factors[factor].comes === "instead",
);

const every = Object.values(all);

/** Fields with secrets of factors: see `Noun.secrets`. */
export const factorSecrets = every.flatMap<string>(({ secrets }) => secrets);

/** The types of the events of factors that are bounded by the day. */
export const countedEvents = every.flatMap(({ counted }) => [...counted]);

const events: FactorTraits<Held, Events>["events"] = Object.assign(
  {},
  ...every.map((one) => one.events),
);

/** The happening behind each event of a factor: see `Noun.events`. */
export const factorEvents = Object.fromEntries(
  Object.entries(events).map(([type, [happening]]) => [type, happening]),
) as { readonly [type in FactorEvent["type"]]: string };

/** What a person gets in with that was just added. */
export function newHeld(event: Added & Envelope): Held {
  const none = { recoveryCodes: [], externalIDPs: [], passwordless: [], passkeys: [] };
  return { ...newPassword(event), ...none };
}

/** Whether it is an event of a factor. */
export function isOfFactor<Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: FactorEvent["type"] }> {
  return event.type in events;
}

/** The person after an event of a factor. */
export function evolveFactor<State extends Held>(human: State, event: FactorEvent & Envelope) {
  const [, evolve] = events[event.type];
  return evolve(human, event as never) as State;
}

/** The same person without what any factor has of codes that a page showed once. */
export function withoutCodes<State extends Held>(human: State): State {
  return Object.values(factors).reduce((left, one) => one.withoutCodes?.(left) ?? left, human);
}
