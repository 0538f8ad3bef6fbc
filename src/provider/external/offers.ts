import type { IDPState } from "../../domain/idp.ts";
import { secretOfIDP } from "../../domain/idp.ts";
import { type SignIn, signInOf } from "../../domain/idp-sign-in.ts";
import type { Usable } from "../../execute/providers.ts";
import type { ProviderParts } from "../base/parts.ts";
import { providerCallback } from "../base/site.ts";
import type { JWTProtocol } from "./jwt.ts";
import type { Ask, AskSecrets, Protocol } from "./protocol.ts";

/** The protocols by which people log in, by what `signInOf` says. */
export interface Protocols {
  readonly oidc: Protocol<Extract<SignIn, { readonly kind: "oidc" }>>;
  readonly github: Protocol<Extract<SignIn, { readonly kind: "github" }>>;
  readonly jwt: JWTProtocol;
}

/** The protocol of a provider. */
export function protocolOf(protocols: Protocols, state: IDPState): Protocol<SignIn> {
  // Each is given what it is for alone.
  return protocols[signInOf(state).kind] as Protocol<SignIn>;
}

/** A request to a provider. */
export function askOf(
  { publicUrl, keyring }: Pick<ProviderParts, "publicUrl" | "keyring">,
  { id, state }: Usable,
  secrets: AskSecrets,
  maxAge?: number,
): Ask {
  const signIn = signInOf(state);
  const sealed = "clientSecret" in signIn ? signIn.clientSecret : undefined;
  const opened = sealed ? { clientSecret: keyring.open(sealed, secretOfIDP(id)) } : {};
  return {
    provider: { id, organization: state.organization, signIn: { ...signIn, ...opened } },
    secrets,
    callback: publicUrl() + providerCallback.replace(":idpId", id),
    maxAge,
  };
}
