import type { Client, Provider } from "oidc-provider";

type Library = Pick<typeof import("oidc-provider"), "Provider" | "errors">;

/**
 * Has the library say what the standards have where it says something else: `unauthorized_client`
 * for what the application may not do (RFC 6749, 4.1.2.1 and 5.2), and `iss` also where an id token
 * says it, since applications look at it first (RFC 9207, 2).
 */
export function followStandards(provider: Provider, { Provider, errors }: Library): void {
  const { prototype }: { readonly prototype: Client } = provider.Client;
  const { grantTypeAllowed, responseTypeAllowed } = prototype;
  // It asks for itself, too, what an application may.
  const isAskedFor = (where: string, name: "grant_type" | "response_type", type: string) => {
    const { route, params } = Provider.ctx?.oidc ?? {};
    return route === where && params?.[name] === type;
  };
  const refused = (what: string) =>
    new errors.UnauthorizedClient(`requested ${what} is not allowed for this client`);
  prototype.grantTypeAllowed = function mayUse(type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    if (!isAllowed && isAskedFor("token", "grant_type", type)) throw refused("grant type");
    return isAllowed;
  };
  prototype.responseTypeAllowed = function mayAskFor(type) {
    const isAllowed = responseTypeAllowed.call(this, type);
    const isAsked = isAskedFor("authorization", "response_type", type);
    if (!isAllowed && isAsked) throw refused("response_type");
    return isAllowed;
  };
  provider.on("authorization.success", (_ctx, answer) => {
    Object.assign(answer ?? {}, { iss: provider.issuer });
  });
}
