import type { KoaContextWithOIDC } from "oidc-provider";
import { cookieOf } from "../../pages/cookie.ts";
import { createClientSecret, hashSecret, isHashOf } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { isSecure, loginCookie } from "../base/site.ts";
import { lifetimes } from "./configuration.ts";

/** What is kept of a login, as far as it says in which browser that began. */
export interface Bound {
  /** The SHA-256 of what its cookie holds there: a login without one is nobody's. */
  readonly browserHash?: string;
}

/** Whether a login began in the browser that shows this in the cookie of the login. */
export function isBoundTo({ browserHash = "" }: Bound, shown: string | undefined): boolean {
  return shown !== undefined && isHashOf(browserHash, shown);
}

/** A login of the library that is being made. */
export interface NewLogin {
  readonly uid: string;
  browserHash?: string;
}

type Parts = Pick<ProviderParts, "publicUrl" | "random">;

/**
 * Has a login go on in the browser alone where it begins, which is given a secret of its own. The
 * id of a login is no secret: it stands in the addresses of its pages.
 */
export async function saveBound(
  login: NewLogin,
  save: () => Promise<string>,
  {
    parts,
    ctx,
  }: { readonly parts: Parts; readonly ctx: Pick<KoaContextWithOIDC, "cookies"> | undefined },
): Promise<string> {
  if (ctx === undefined || login.browserHash !== undefined) return await save();
  const secret = createClientSecret(parts.random);
  login.browserHash = hashSecret(secret);
  const saved = await save();
  const about = { httpOnly: true, sameSite: "lax", secure: isSecure(parts), path: "/" } as const;
  const maxAge = lifetimes.interaction * 1_000;
  ctx.cookies.set(loginCookie(parts, login.uid), secret, { ...about, maxAge });
  return saved;
}

/**
 * Whether the browser that the library answers is the one in which a login began. Where it answers
 * none, pages look for themselves.
 */
export function isHere(
  login: Bound & { readonly uid: string },
  parts: Pick<Parts, "publicUrl">,
  ctx: Pick<KoaContextWithOIDC, "headers"> | undefined,
): boolean {
  if (ctx === undefined) return true;
  // What reads cookies for the library keeps a pattern for each name, for good.
  return isBoundTo(login, cookieOf(ctx.headers.cookie, loginCookie(parts, login.uid)));
}

/** Has the browser forget the secret of a login that is over. */
export function unbindLogin(
  ctx: KoaContextWithOIDC,
  parts: Pick<ProviderParts, "publicUrl">,
): void {
  const { uid = "" } = ctx.oidc.entities.Interaction ?? {};
  ctx.cookies.set(loginCookie(parts, uid), null, { path: "/", secure: isSecure(parts) });
}
