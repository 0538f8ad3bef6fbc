import type { AuthorizationCode, Interaction, Provider, ResponseType } from "oidc-provider";

/** What a login was begun with. */
interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly codeChallenge: string | undefined;
}

/** What finds things of a kind by their ids. */
interface Model<Found> {
  find(id: string, ...rest: unknown[]): Promise<Found | undefined>;
}

/**
 * Has logins that are open, and codes, count as not there where their application might not begin
 * such a login now: the library compares them with its settings only when the login begins.
 */
export function recheckPending(provider: Provider): void {
  const recheck = <Found>(model: Model<Found>, askedOf: (found: Found) => Asked) => {
    const { find } = model;
    model.find = async function findAllowed(id, ...rest) {
      const found = await find.call(this, id, ...rest);
      const isAllowed = found !== undefined && (await mayBegin(provider, askedOf(found)));
      return isAllowed ? found : undefined;
    };
  };
  recheck(provider.Interaction as Model<Interaction>, ({ params }) => ({
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    responseType: params.response_type as ResponseType,
    codeChallenge: params.code_challenge as string | undefined,
  }));
  recheck(provider.AuthorizationCode as Model<AuthorizationCode>, (code) => ({
    clientId: String(code.clientId),
    redirectUri: String(code.redirectUri),
    // Whoever may have it along with tokens may have it alone.
    responseType: "code",
    codeChallenge: code.codeChallenge,
  }));
}

/** Whether a login may be begun so, as the row of the application is now. */
async function mayBegin({ Client }: Provider, asked: Asked): Promise<boolean> {
  const { clientId, redirectUri, responseType, codeChallenge } = asked;
  const client = await Client.find(clientId);
  if (client === undefined) return false;
  const isBound = codeChallenge !== undefined || !responseType.includes("code");
  if (!isBound && needsPKCE(client)) return false;
  return client.redirectUriAllowed(redirectUri) && client.responseTypeAllowed(responseType);
}

/** Whether nothing but PKCE binds a code to the application that asked for it. */
export function needsPKCE(client: {
  readonly tokenEndpointAuthMethod?: string | undefined;
}): boolean {
  return client.tokenEndpointAuthMethod === "none";
}
