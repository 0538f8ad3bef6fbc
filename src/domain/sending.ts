import type { Quota } from "../event.ts";
import { foldText } from "../text/fold.ts";
import { type Rejection, rejectionFor } from "./decision.ts";

/** A field of an event's payload that somebody must be sent. */
export interface Asked {
  readonly field: string;
  /** Of a registration the mail goes to an address that lies beside the log. */
  readonly channel: "email" | "sms" | "call" | "registration";
  /**
   * A plain e-mail address, a phone number (E.164), or the client id of who is called; empty where
   * the log does not have it.
   */
  readonly to: string;
  /** Whether it is the mail about a forgotten password, for which strangers may ask. */
  readonly isReset?: boolean;
}

/**
 * The end of one attempt to send a message, or to call somebody. Problems are for operators and
 * name no address, code or credential.
 */
export type Attempt =
  | { readonly kind: "sent" }
  /** It will never go out; another attempt would end in the same way. */
  | { readonly kind: "refused"; readonly problem: string }
  /** It did not go out, but the same message may later. */
  | { readonly kind: "missed"; readonly problem: string };

/**
 * Messages that may be asked for at once, and in a day from then on. An installation that imports
 * many people at a time, or has large organizations, sets them higher.
 */
export const sendLimits = {
  smsPerNumber: 10,
  smsPerOrganization: 1_000,
  mailsPerAddress: 20,
  mailsPerOrganization: 10_000,
  registrationMails: 1_000,
} as const;

/** The numbers of `sendLimits`. */
export type SendLimits = { readonly [name in keyof typeof sendLimits]: number };

/** Milliseconds of a day, in which as many messages as its limit says are there again. */
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * The quotas that a message of an organization counts against, in the order of `NewMessage.quotas`.
 * Calls have none: they are no more than the logins before them. An SMS costs money and somebody
 * waits for it, so past them it is refused; a mail waits for its turn. An SMS counts for the
 * number, whichever organization asks and however the number is written. A mail counts for an
 * address within the organization, so nobody can delay another's mails. Strangers cannot either:
 * mails about forgotten passwords have as many of each kind for themselves, and past them none is
 * made, since its code would be spent before its turn. Nor are mails to people who register, who
 * are strangers of all organizations together.
 */
export function quotasOf(
  { channel, to, isReset = false }: Asked,
  organization: string,
  limits: SendLimits,
): readonly Quota[] {
  if (channel === "call") return [];
  if (channel === "registration") {
    const { registrationMails: most } = limits;
    const instance = { kind: "registration.instance", scope: "", value: "" };
    return [{ ...instance, most, perMs: dayMs, isPatient: false }];
  }
  const kind = isReset ? "reset" : channel;
  const ofAll = { kind: `${kind}.organization`, scope: "", value: organization };
  if (channel === "sms") {
    const day = { perMs: dayMs, isPatient: false };
    return [
      { kind: "sms.number", scope: "", value: phoneOf(to), most: limits.smsPerNumber, ...day },
      { ...ofAll, most: limits.smsPerOrganization, ...day },
    ];
  }
  const day = { perMs: dayMs, isPatient: !isReset };
  const address = { kind: `${kind}.address`, scope: organization, value: mailboxOf(to) };
  return [
    { ...ofAll, most: limits.mailsPerOrganization, ...day },
    { ...address, most: limits.mailsPerAddress, ...day },
  ];
}

/**
 * The phone that a number (E.164) reaches. Mobile phones of Argentina have a 9 behind the country,
 * those of Mexico had a 1 until 2019, and each is reached without as well. No other country is
 * known to have two numbers for one phone, and libphonenumber takes them for two.
 */
function phoneOf(number: string): string {
  return number.replace(/^\+(?:(54)9|(52)1)(?=\d{10}$)/, "+$1$2");
}

/**
 * The mailbox of an address: neither case nor what follows a plus (RFC 5233) makes another, nor how
 * the host is written, in letters or as DNS has them (UTS 46).
 */
export function mailboxOf(address: string): string {
  const plain = foldText(address).replace(/(?<=.)\+.*(?=@)/, "");
  const host = plain.slice(plain.lastIndexOf("@") + 1);
  const { hostname } = URL.parse(`http://${host}`) ?? { hostname: host };
  return plain.slice(0, plain.length - host.length) + hostname;
}

/** The refusal to send what does not wait for its turn, which says when to ask again. */
export function refuseSending({ kind }: Quota, retryMs: number): Rejection {
  const [channel, whose] = kind.split(".");
  const isSms = channel === "sms";
  const limit = isSms ? "SMS limit" : "limit of mails for forgotten passwords";
  const again = `ask again in ${describe(retryMs)}`;
  const message = `The daily ${limit} of the ${whose} is used up: ${again}.`;
  return { ...rejectionFor(isSms ? "TOO_MANY_SMS" : "TOO_MANY_MAILS", message), retryMs };
}

/** A time in words, rounded up to minutes, or below one to seconds. */
function describe(ms: number): string {
  const [seconds, minutes] = [Math.ceil(ms / 1_000), Math.ceil(ms / 60_000)];
  if (seconds < 60) return `${seconds} s`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : [], rest > 0 ? `${rest} min` : []].flat().join(" ");
}
