import type { KoaContextWithOIDC } from "oidc-provider";
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
interface Made {
  readonly uid: string;
  browserHash?: string;
}

/** As far as it concerns who binds the logins of the library. */
interface Model {
  readonly prototype: { save(ttl: number): Promise<string> };
  readonly IN_PAYLOAD: readonly string[];
  find(uid: string, ...rest: unknown[]): Promise<Bound | undefined>;
}

/**
 * Has each login go on in the browser alone where it began, which holds a secret of its own. The id
 * of a login is no secret: it stands in the addresses of its pages. Requests of other browsers to
 * the library find no such login; pages look for themselves.
 */
export function bindLogins(
  model: object,
  parts: Pick<ProviderParts, "publicUrl" | "random">,
  current: () => KoaContextWithOIDC | undefined,
): void {
  const logins = model as Model;
  const { prototype, find, IN_PAYLOAD: kept } = logins;
  const { save } = prototype;
  const about = { httpOnly: true, sameSite: "lax", secure: isSecure(parts), path: "/" } as const;
  Object.defineProperty(logins, "IN_PAYLOAD", { get: () => [...kept, "browserHash"] });
  prototype.save = async function bind(this: Made & Model["prototype"], ttl) {
    const ctx = current();
    if (ctx === undefined || this.browserHash !== undefined) return await save.call(this, ttl);
    const secret = createClientSecret(parts.random);
    this.browserHash = hashSecret(secret);
    const saved = await save.call(this, ttl);
    const maxAge = lifetimes.interaction * 1_000;
    ctx.cookies.set(loginCookie(parts, this.uid), secret, { ...about, maxAge });
    return saved;
  };
  logins.find = async function findHere(uid, ...rest) {
    const found = await find.call(this, uid, ...rest);
    const ctx = current();
    if (found === undefined || ctx === undefined) return found;
    return isBoundTo(found, ctx.cookies.get(loginCookie(parts, uid))) ? found : undefined;
  };
}

/** Has the browser forget the secret of a login that is over. */
export function unbindLogin(
  ctx: KoaContextWithOIDC,
  parts: Pick<ProviderParts, "publicUrl">,
): void {
  const { uid = "" } = ctx.oidc.entities.Interaction ?? {};
  ctx.cookies.set(loginCookie(parts, uid), null, { path: "/", secure: isSecure(parts) });
}
