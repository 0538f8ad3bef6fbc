import { readCode } from "../../text/typed.ts";

/** The grant by which a device asks for its tokens (RFC 8628, 3.4). */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The bounds on logging in on a device by a code that it shows. */
export const deviceLimits = {
  /** Seconds for which a code is valid. */
  codeSeconds: 10 * 60,
  /** Seconds after that for which the device is told that the code has expired. */
  expiredSeconds: 10 * 60,
  /** Seconds that a device has to wait between two requests for its tokens. */
  intervalSeconds: 5,
  /** Milliseconds after such a request in which another one is too early: clocks differ a bit. */
  earlyMs: 4_000,
  /** Milliseconds in which wrong codes are counted. */
  triesMs: 15 * 60_000,
  /** Wrong codes of one person who is logged in. */
  triesOfPerson: 10,
  /** Wrong codes of strangers from one address. */
  triesOfAddress: 20,
  /** The same of a /48 of IPv6. */
  triesOfSite: 100,
  /** The same where no address is known. */
  triesOfMachine: 200,
  /** The same of all strangers: where 50,000 codes are open, one of them is found in 50 windows. */
  tries: 10_000,
} as const;

/** What people typed as a code without what makes no difference: case, spaces and hyphens. */
export function readUserCode(typed: string): string {
  return readCode(typed).toUpperCase();
}
