import type { ClientProvider, IDPState, OIDCProvider } from "./idp.ts";
import type { JWTProvider, OIDCSettings, ProviderOptions, Template } from "./idp-config.ts";
import { mustExist } from "./noun.ts";

/** What may come of a login by the provider; calls without options allow links and new users. */
export function optionsOf({
  options,
  autoRegister,
}: Pick<IDPState, "options" | "autoRegister">): ProviderOptions {
  return (
    options ?? {
      ...{ isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: autoRegister },
      ...{ isAutoUpdate: false, autoLinking: "NONE" },
    }
  );
}

/** What says that an e-mail address is verified: the claim of that name, that of Entra, nothing. */
export type Verifies = "CLAIM" | "XMS_EDOV" | "NEVER";

/** By what a provider tells its users apart: by `sub`, or by that within the tenant, `tid`. */
export type Subject = "SUB" | "TENANT";

/** How one logs in at a provider; the client secret is sealed, for the stream of the provider. */
export type SignIn =
  | (Required<OIDCProvider> & {
      readonly kind: "oidc";
      readonly verifies: Verifies;
      readonly subject: Subject;
    })
  | (JWTProvider & { readonly kind: "jwt" })
  | (Pick<ClientProvider, "clientId" | "clientSecret" | "scopes"> & { readonly kind: "github" });

/** How one logs in at the provider, as its template and its configuration say. */
export function signInOf(state: IDPState): SignIn {
  return presets[state.template](state);
}

/** What OIDC providers have whose events do not say it. */
export const oidcDefaults = {
  isIdTokenMapping: false,
  usesPkce: true,
} satisfies Partial<OIDCSettings>;

const presets: { readonly [template in Template]: (state: IDPState) => SignIn } = {
  OIDC: ({ oidc }) => openId(mustExist(oidc), { verifies: "CLAIM", subject: "SUB" }),
  JWT: ({ jwt }) => ({ kind: "jwt", ...mustExist(jwt) }),
  GOOGLE: ({ client }) =>
    openId(atIssuer("https://accounts.google.com", client), { verifies: "CLAIM", subject: "SUB" }),
  GITHUB: ({ client }) => {
    const { clientId, clientSecret, scopes } = mustExist(client);
    return { kind: "github", clientId, clientSecret, scopes: orDefault(scopes, githubScopes) };
  },
  AZURE_AD: ({ client }) =>
    openId(atIssuer(entraIssuer(client?.tenant ?? "common"), client), {
      // Who runs a tenant can write any address: only the owner of its domain can vouch for it.
      verifies: client?.trustsEmail ? "XMS_EDOV" : "NEVER",
      subject: "TENANT",
    }),
};

/** What a login asks for where nobody says it. */
const openIdScopes = ["openid", "profile", "email"];
const githubScopes = ["read:user", "user:email"];

function orDefault(scopes: readonly string[], otherwise: readonly string[]): readonly string[] {
  return scopes.length === 0 ? otherwise : scopes;
}

/** A login by OpenID Connect, which there is by the scope `openid` alone. */
function openId(
  provider: OIDCProvider,
  told: { readonly verifies: Verifies; readonly subject: Subject },
): SignIn {
  const asked = orDefault(provider.scopes, openIdScopes);
  const scopes = asked.includes("openid") ? asked : ["openid", ...asked];
  return { kind: "oidc", ...oidcDefaults, ...provider, ...told, scopes };
}

function atIssuer(issuer: string, client: ClientProvider | undefined): OIDCProvider {
  const { clientId, clientSecret, scopes } = mustExist(client);
  return {
    ...{ issuer, clientId, clientSecret, scopes },
    ...{ displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" },
  };
}

/** The issuer of Entra for a tenant; accounts of people alone are in one that tokens name by id. */
function entraIssuer(tenant: string): string {
  const id = tenant === "consumers" ? "9188040d-6c67-4c5b-b112-36a304b66dad" : tenant;
  return `https://login.microsoftonline.com/${id}/v2.0`;
}
