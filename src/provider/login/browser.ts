import type { FastifyReply, FastifyRequest } from "fastify";
import type { Visitor } from "../../domain/user/login/login.ts";
import { codeLifetimesMs } from "../../domain/user/state/human-state.ts";
import { cookieOf, keptSeconds, setCookie } from "../../pages/cookie.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { cookieNames, isSecure, loginCookie } from "../base/site.ts";
import { type Bound, isBoundTo } from "../library/binding.ts";

type Parts = Pick<ProviderParts, "publicUrl" | "random">;

/** Who visits, as far as the browser says it: it may have logged somebody in before. */
export function visitorOf(request: FastifyRequest, parts: Parts): Visitor {
  const browser = browserOf(request, parts);
  return browser === undefined ? {} : { browser };
}

/** A hash of what tells the browser from others, where it has logged somebody in. */
function browserOf(request: FastifyRequest, parts: Parts): string | undefined {
  const value = cookieOf(request.headers.cookie, cookieNames(parts).browser);
  return value && form.test(value) ? hashSecret(value) : undefined;
}

/** Gives the browser what it is known by from now on; answers its hash. */
export function knowBrowser(request: FastifyRequest, reply: FastifyReply, parts: Parts): string {
  const known = browserOf(request, parts);
  if (known !== undefined) return known;
  const value = createClientSecret(parts.random);
  const { browser: name } = cookieNames(parts);
  setCookie(reply, { name, value, seconds: keptSeconds, isSecure: isSecure(parts) });
  return hashSecret(value);
}

/** Whether the login began in the browser. */
export function hasBegun(
  request: FastifyRequest,
  parts: Pick<Parts, "publicUrl">,
  login: Bound & { readonly uid: string },
): boolean {
  return isBoundTo(login, cookieOf(request.headers.cookie, loginCookie(parts, login.uid)));
}

/** Has the browser remember the login in which somebody has asked for another password. */
export function rememberLogin(
  reply: FastifyReply,
  parts: Pick<Parts, "publicUrl">,
  uid: string,
): void {
  const seconds = codeLifetimesMs.password / 1_000;
  const { forgotten: name } = cookieNames(parts);
  setCookie(reply, { name, value: uid, seconds, isSecure: isSecure(parts) });
}

/** The login that the browser remembers so. */
export function rememberedLogin(
  request: FastifyRequest,
  parts: Pick<Parts, "publicUrl">,
): string | undefined {
  const value = cookieOf(request.headers.cookie, cookieNames(parts).forgotten);
  return value && uidForm.test(value) ? value : undefined;
}

const form = /^[\w-]{43}$/;
const uidForm = /^[\w-]{1,64}$/;
