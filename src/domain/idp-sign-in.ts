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
      /** The value of `prompt` that has the provider ask who it is. */
      readonly anew: "login" | "select_account";
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
  OIDC: ({ oidc }) => openId(mustExist(oidc), { verifies: "CLAIM", subject: "SUB", anew: "login" }),
  JWT: ({ jwt }) => ({ kind: "jwt", ...mustExist(jwt) }),
  GOOGLE: ({ client }) =>
    openId(atIssuer("https://accounts.google.com", client), {
      ...{ verifies: "CLAIM", subject: "SUB" },
      // It does not know `login`.
      anew: "select_account",
    }),
  GITHUB: ({ client }) => {
    const { clientId, clientSecret, scopes } = mustExist(client);
    return { kind: "github", clientId, clientSecret, scopes: orDefault(scopes, githubScopes) };
  },
  AZURE_AD: ({ client }) =>
    openId(atIssuer(entraIssuer(client?.tenant ?? "common"), client), {
      // Who runs a tenant can write any address: only the owner of its domain can vouch for it.
      verifies: client?.trustsEmail ? "XMS_EDOV" : "NEVER",
      ...{ subject: "TENANT", anew: "login" },
    }),
};

/**
 * Whether the provider may say nothing of when it asked somebody: GitHub has no way to, and the
 * others need a setting there. What anybody else can run has to say it.
 */
export function mayBeSilent({ template }: Pick<IDPState, "template">): boolean {
  return template !== "OIDC" && template !== "JWT";
}

/** What a login asks for where nobody says it. */
const openIdScopes = ["openid", "profile", "email"];
const githubScopes = ["read:user", "user:email"];

function orDefault(scopes: readonly string[], otherwise: readonly string[]): readonly string[] {
  return scopes.length === 0 ? otherwise : scopes;
}

/** A login by OpenID Connect, which there is by the scope `openid` alone. */
function openId(
  provider: OIDCProvider,
  told: Pick<Extract<SignIn, { readonly kind: "oidc" }>, "verifies" | "subject" | "anew">,
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
