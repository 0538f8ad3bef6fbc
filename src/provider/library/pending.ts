import type { AdapterPayload, Client, ResponseType } from "oidc-provider";
import { deviceGrant } from "../base/device.ts";

/** What a login was begun with. */
interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly codeChallenge: string | undefined;
}

/** Where the library has applications. */
export interface Clients {
  findClient(id: string): Promise<Client | undefined>;
}

/**
 * Whether a login that is open is still one: its application might begin it now. The library
 * compares it with its settings only when it begins.
 */
export async function isOpen(
  clients: Clients,
  { params = {}, deviceCode }: AdapterPayload,
): Promise<boolean> {
  if (deviceCode !== undefined) return await mayUseDevices(clients, String(params.client_id));
  return await mayBegin(clients, {
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    responseType: params.response_type as ResponseType,
    codeChallenge: params.code_challenge as string | undefined,
  });
}

/** The same of a code that the login has led to. */
export async function isCode(clients: Clients, code: AdapterPayload): Promise<boolean> {
  return await mayBegin(clients, {
    clientId: String(code.clientId),
    redirectUri: String(code.redirectUri),
    // A client that may have it along with tokens may have it alone.
    responseType: "code",
    codeChallenge: code.codeChallenge,
  });
}

/** Whether an application may have people log in on devices now. */
export async function mayUseDevices({ findClient }: Clients, clientId: string): Promise<boolean> {
  return (await findClient(clientId))?.grantTypeAllowed(deviceGrant) ?? false;
}

/** Whether a login may be begun so, as the row of the application is now. */
async function mayBegin({ findClient }: Clients, asked: Asked): Promise<boolean> {
  const { clientId, redirectUri, responseType, codeChallenge } = asked;
  const client = await findClient(clientId);
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
