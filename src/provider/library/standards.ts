import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import { deviceGrant } from "../base/device.ts";
import { responseTypes } from "../token/client.ts";

/** What an application asks for, and by which parameter of which request. */
interface Asked {
  readonly route: string;
  readonly name: string;
  readonly value: string;
  /** What that is, in words. */
  readonly what: string;
}

interface Library {
  readonly current: () => KoaContextWithOIDC | undefined;
  readonly errors: Pick<typeof errors, "UnauthorizedClient">;
}

/**
 * Whether the application may do what it asks for. Throws where it asks now and may not. The
 * library also looks by itself, where nobody asks, and is told.
 */
export function orRefuse(
  isAllowed: boolean,
  { route, name, value, what }: Asked,
  { current, errors }: Library,
): boolean {
  const { route: at, params } = current()?.oidc ?? {};
  const isDevice = at === "device_authorization" && value === deviceGrant;
  const isAsked = isDevice || (at === route && params?.[name] === value);
  if (isAllowed || !isAsked) return isAllowed;
  throw new errors.UnauthorizedClient(`requested ${what} is not allowed for this client`);
}

/**
 * Has the library say its issuer also where an id token says it: applications look at it first (RFC
 * 9207, 2).
 */
export function tellIssuer(provider: Provider): void {
  provider.on("authorization.success", (_ctx, answer) => {
    Object.assign(answer ?? {}, { iss: provider.issuer });
  });
}

/** Has discovery name those response types alone that an application may have. */
export async function tellResponseTypes(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  if (ctx.oidc?.route === "discovery") {
    ctx.body = { ...(ctx.body as object), response_types_supported: responseTypes };
  }
}
