import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply } from "fastify";

/** A cookie for the whole service. */
export interface NewCookie {
  readonly name: string;
  readonly value: string;
  readonly seconds: number;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
}

/** Seconds for which browsers keep a cookie at most. */
export const keptSeconds = 400 * 24 * 60 * 60;

/** Gives the browser a cookie, which no script reads. */
export function setCookie(reply: FastifyReply, cookie: NewCookie): void {
  const { name, value, seconds: maxAge, isSecure: secure } = cookie;
  const about = { path: "/", maxAge, httpOnly: true, sameSite: "lax", secure } as const;
  reply.header("set-cookie", stringifySetCookie({ name, value, ...about }));
}

/** The value of a cookie as it was sent: what is looked for has nothing to decode. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return parseCookie(header ?? "", { decode: (value) => value })[name];
}
