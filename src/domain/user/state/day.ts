import type { Envelope } from "../../../event.ts";
import { countedEvents } from "./factor.ts";

/** The bounds on what a person has recorded of itself in a day, each for one type of event. */
export const dayLimits = {
  /** Logins, and times that a person lets applications act. */
  loginsOfDay: 2_000,
  /** Tokens that were given back, those that came again, and passkeys that were refused. */
  tokensOfDay: 100,
  /** Names that are replaced, of passkeys too, and times that the person changes how it gets in. */
  changesOfDay: 100,
  /** Mails about an address that the person asks for. */
  addressesOfDay: 20,
  /** Times that recovery codes were made, and that an app, a passkey or a link was removed. */
  factorsOfDay: 50,
  /** Times that the person asks to be erased. */
  erasuresOfDay: 5,
} as const;

/** How often each was recorded in a day, and when that began (Unix milliseconds). */
export interface Day {
  readonly sinceMs: number;
  readonly counts: { readonly [type in Counted]?: number };
}

const dayMs = 24 * 60 * 60_000;

const ofFactors = Object.fromEntries(
  countedEvents.map((type) => [type, dayLimits.factorsOfDay]),
) as { readonly [type in (typeof countedEvents)[number]]: number };

const mostOf = {
  ...ofFactors,
  "user.human.session.begun": dayLimits.loginsOfDay,
  "user.human.consent.given": dayLimits.loginsOfDay,
  "user.human.token.revoked": dayLimits.tokensOfDay,
  "user.human.token.reused": dayLimits.tokensOfDay,
  "user.human.passwordless.token.refused": dayLimits.tokensOfDay,
  "user.human.profile.changed": dayLimits.changesOfDay,
  "user.human.passwordless.token.renamed": dayLimits.changesOfDay,
  "user.human.sessions.ended": dayLimits.changesOfDay,
  "user.human.email.requested": dayLimits.addressesOfDay,
  "user.erasure.requested": dayLimits.erasuresOfDay,
} as const;

/** Events that somebody without any role has recorded at will, and which others do not bound. */
export type Counted = keyof typeof mostOf;

/** Whether there is room for another event of the type: the log is not for one person to fill. */
export function hasRoom(
  login: { readonly day?: Day } | undefined,
  type: Counted,
  nowMs: number,
): boolean {
  return (dayAt(login?.day, nowMs).counts[type] ?? 0) < mostOf[type];
}

/** The day with the event in it, where it is one that counts. */
export function countInDay(
  before: Day | undefined,
  { type, timeMs }: { readonly type: string } & Envelope,
): { readonly day?: Day } {
  if (!isCounted(type)) return before === undefined ? {} : { day: before };
  const { sinceMs, counts } = dayAt(before, timeMs);
  return { day: { sinceMs, counts: { ...counts, [type]: (counts[type] ?? 0) + 1 } } };
}

/** Whether events of the type are bounded by the day. */
export function isCounted(type: string): type is Counted {
  return type in mostOf;
}

function dayAt(day: Day | undefined, nowMs: number): Day {
  const isOver = day === undefined || nowMs >= day.sinceMs + dayMs;
  return isOver ? { sinceMs: nowMs, counts: {} } : day;
}
