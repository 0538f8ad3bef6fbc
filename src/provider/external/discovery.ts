import type { ClientAuth, Configuration } from "openid-client";
import type { SignIn } from "../../domain/idp-sign-in.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { createMemory } from "../base/memory.ts";
import { fetchBy } from "./http.ts";
import type { Ask, ProtocolParts } from "./protocol.ts";

export type OpenIDSignIn = Extract<SignIn, { readonly kind: "oidc" }>;

/** The bounds on what is remembered of OpenID providers. */
export const discoveryLimits = {
  /** Providers whose configuration is remembered: of more, the first is asked again. */
  providers: 100,
  /** Milliseconds after which a configuration is asked for again. */
  keptMs: 10 * 60_000,
  /** Seconds that the clock of a provider may differ by. */
  skewSeconds: 5,
} as const;

/** A configuration, and when it was asked for (Unix milliseconds). */
interface Kept {
  readonly askedMs: number;
  readonly configuration: Promise<Configuration>;
}

/** Finds the configuration of a provider, which is remembered; one that failed is asked again. */
export function createDiscovery(parts: ProtocolParts) {
  const known = createMemory<Kept>(discoveryLimits.providers);

  return (ask: Ask<OpenIDSignIn>): Promise<Configuration> => {
    const { id, signIn } = ask.provider;
    const secret = hashSecret(signIn.clientSecret);
    const name = JSON.stringify([id, signIn.issuer, signIn.clientId, secret]);
    const nowMs = parts.machineNow();
    const before = known.get(name);
    if (before !== undefined && nowMs < before.askedMs + discoveryLimits.keptMs) {
      return before.configuration;
    }
    const configuration = discoverNow(ask, parts);
    const kept = { askedMs: nowMs, configuration };
    known.keep(name, kept);
    configuration.catch(() => {
      if (known.get(name) === kept) known.forget(name);
    });
    return configuration;
  };
}

async function discoverNow(
  { provider }: Ask<OpenIDSignIn>,
  { send }: ProtocolParts,
): Promise<Configuration> {
  const client = await import("openid-client");
  const { organization, signIn } = provider;
  const { clientId, clientSecret } = signIn;
  const issuer = new URL(signIn.issuer);
  const prove: ClientAuth = (server, ...more) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    // Some providers take what Basic encodes (RFC 6749, 2.3.1) for the secret itself.
    const by = methods.includes("client_secret_post")
      ? client.ClientSecretPost(clientSecret)
      : client.ClientSecretBasic(clientSecret);
    return by(server, ...more);
  };
  // A provider with TLS has it everywhere; which others there may be, `send` says.
  const insecure = issuer.protocol === "http:" ? [client.allowInsecureRequests] : [];
  return await client.discovery(
    issuer,
    clientId,
    { [client.clockTolerance]: discoveryLimits.skewSeconds },
    clientSecret === "" ? client.None() : prove,
    {
      [client.customFetch]: fetchBy(send, organization),
      execute: [...insecure, client.enableNonRepudiationChecks],
    },
  );
}
