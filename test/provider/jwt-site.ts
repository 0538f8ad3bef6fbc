import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { start, stop } from "../fetch/listener.ts";

/** A site that has its own login, and hands tokens over as the compatible API has it. */
export interface JWTSite {
  readonly issuer: string;
  readonly port: number;
  /** The public key, as the site publishes it. */
  readonly key: object;
  /** Who is logged in there: the token that the site hands over next. */
  token: () => Promise<string>;
  sign(claims: JWTPayload, header?: { readonly kid?: string }): Promise<string>;
  close(): Promise<void>;
}

/** Starts one, whose proxy asks the service with this address. */
export async function startJWTSite(serviceUrl: () => string): Promise<JWTSite> {
  const pair = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(pair.publicKey)), kid: "k", alg: "ES256" };
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/keys") return void response.end(JSON.stringify({ keys: [key] }));
    // The proxy: it passes the query on and the answer back, and holds no cookie of the service.
    const headers = { "x-site-token": await site.token() };
    const asked = { headers, redirect: "manual" } as const;
    const handed = await fetch(`${serviceUrl()}/idps/jwt${search}`, asked);
    response.writeHead(handed.status, { location: handed.headers.get("location") ?? "" }).end();
  });
  const port = await start(server);
  const site: JWTSite = {
    ...{ issuer: `http://127.0.0.1:${port}`, port, key },
    token: async () => "",
    sign: async (claims, header = { kid: "k" }) =>
      await new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", ...header })
        .sign(pair.privateKey),
    close: () => {
      server.closeAllConnections();
      return stop(server);
    },
  };
  return site;
}

/** What is set of a provider that is the site. */
export function settingsOf({ issuer }: Pick<JWTSite, "issuer">) {
  return {
    ...{ name: "Site", issuer, jwtEndpoint: `${issuer}/login?lang=en` },
    ...{ keysEndpoint: `${issuer}/keys`, headerName: "x-site-token" },
    providerOptions: { isLinkingAllowed: true, isCreationAllowed: true },
  };
}
