import type { IDPState } from "../../domain/idp.ts";
import { secretOfIDP } from "../../domain/idp.ts";
import { type SignIn, signInOf } from "../../domain/idp-sign-in.ts";
import type { Usable } from "../../execute/providers.ts";
import type { ProviderParts } from "../base/parts.ts";
import { providerCallback } from "../base/site.ts";
import type { Ask, AskSecrets, Protocol } from "./protocol.ts";

/** The protocols by which people log in, by what `signInOf` says. */
export type Protocols = {
  readonly [Kind in SignIn["kind"]]?: Protocol<Extract<SignIn, { readonly kind: Kind }>>;
};

/** The protocol of a provider; undefined where nobody can log in by it. */
export function protocolOf(protocols: Protocols, state: IDPState): Protocol<SignIn> | undefined {
  // Each is given what it is for alone.
  return protocols[signInOf(state).kind] as Protocol<SignIn> | undefined;
}

/** A request to a provider. */
export function askOf(
  { publicUrl, keyring }: Pick<ProviderParts, "publicUrl" | "keyring">,
  { id, state }: Usable,
  secrets: AskSecrets,
): Ask {
  const signIn = signInOf(state);
  const sealed = "clientSecret" in signIn ? signIn.clientSecret : undefined;
  const opened = sealed ? { clientSecret: keyring.open(sealed, secretOfIDP(id)) } : {};
  return {
    provider: { id, organization: state.organization, signIn: { ...signIn, ...opened } },
    secrets,
    callback: publicUrl() + providerCallback.replace(":idpId", id),
  };
}
