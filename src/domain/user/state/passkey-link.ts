import type { Envelope } from "../../../event.ts";
import {
  codeFailuresMax,
  countMiss,
  type Delivery,
  isSpent,
  type Missed,
  type SealedCode,
} from "./human-state.ts";
import { type Made, madeBy, madeThrough } from "./made.ts";

/** The right of the holder of a link to register a passkey; only a hash of its code is kept. */
export interface PasswordlessCode {
  readonly codeId: string;
  readonly codeHash: string;
  readonly expirationMs: number;
  /** The session in which the person made the link, and with which the link ends. */
  readonly sessionId?: string;
}

/** The same right, whose code is mailed. Its time begins when the mail has left. */
export interface MailedLink extends Omit<PasswordlessCode, "expirationMs">, SealedCode {}

/** The end of the mail with a link. */
export interface BegunLink extends Delivery, Pick<PasswordlessCode, "codeId"> {}

/** A link of a person: it was mailed where it has a sealed code, else it was answered. */
export interface PasskeyLink extends Omit<PasswordlessCode, "expirationMs">, Missed, Made {
  readonly code?: string;
  readonly expirationMs?: number;
}

type Links = readonly PasskeyLink[];

/** The links with another one; those that have ended are of no use to anybody. */
export function withLink(
  links: Links,
  link: Omit<PasskeyLink, "failures">,
  { timeMs }: Envelope,
): Links {
  const working = links.filter((code) => !isSpent(code, timeMs));
  return [...working, { ...link, failures: 0 }];
}

/** The links, of which one was tried with a wrong code. */
export function countLinkMiss(links: Links, { codeId }: Pick<PasswordlessCode, "codeId">): Links {
  return links.map((link) => (link.codeId === codeId ? countMiss(link) : link));
}

/** The links, of which the time of one may begin. */
export function beginLink(links: Links, { codeId, expirationMs }: BegunLink): Links {
  if (expirationMs === undefined) return links;
  return links.map((link) => (link.codeId === codeId ? { ...link, expirationMs } : link));
}

/** The links, of which all end, or those that were mailed: who made one is known all the same. */
export function endLinks(links: Links, which: "all" | "mailed"): Links {
  const ends = ({ code }: PasskeyLink) => which === "all" || code !== undefined;
  return links.map((link) => (ends(link) ? { ...link, failures: codeFailuresMax } : link));
}

/** Those that were answered: what was mailed ends with the address. */
export function withoutMailed(links: Links): Links {
  return links.filter(({ code }) => code === undefined);
}

/**
 * The maker of the passkey of an event: that of the link, who has seen it. Nobody sees a link that
 * is mailed: then it is the person, through who chose the address.
 */
export function makerOfPasskey(
  event: Envelope & { readonly payload: object },
  link: PasskeyLink | undefined,
  emailMade: Made | undefined,
): Made {
  if (link === undefined) return madeBy(event);
  const { maker, via, code } = link;
  if (code !== undefined) return madeThrough(madeBy(event), emailMade);
  return { maker, ...(via === undefined ? {} : { via }) };
}
