import { type IDPState, idp } from "../../src/domain/idp.ts";
import { addIDP, type ProviderRights, type Setup } from "../../src/domain/idp-change.ts";
import type {
  IDPConfig,
  JWTProvider,
  OIDCSettings,
  ProviderOptions,
  Template,
} from "../../src/domain/idp-config.ts";
import type { Membership } from "../../src/domain/permission.ts";

/** What the tests of identity providers share: one of each template. */

export const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
export const config = { name: "Portal", stylingType: "GOOGLE", autoRegister: true } as const;
export const inOrganization: IDPConfig = { ...config, serves: "ORGANIZATION" };
export const jwt: JWTProvider = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "idp",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "x-jwt",
};
export const settings: OIDCSettings = {
  issuer: "https://idp.example.com",
  clientId: "client",
  scopes: ["openid", "email"],
  displayNameMapping: "EMAIL",
  usernameMapping: "PREFERRED_USERNAME",
};
export const client = { clientId: "client", scopes: ["email"] };
export const options: ProviderOptions = {
  ...{ isLinkingAllowed: true, isCreationAllowed: false, isAutoCreation: false },
  ...{ isAutoUpdate: true, autoLinking: "EMAIL" },
};

/** What is set of a provider of each template. */
export const setups: readonly Setup[] = [
  { template: "OIDC", settings, clientSecret: "sealed" },
  { template: "JWT", settings: jwt },
  { template: "GOOGLE", settings: client, clientSecret: "sealed" },
  { template: "GITHUB", settings: client, clientSecret: "sealed" },
  {
    template: "AZURE_AD",
    settings: { ...client, tenant: "common", trustsEmail: true },
    clientSecret: "sealed",
  },
];

export const ofOrganization: IDPState = {
  ...inOrganization,
  ...{ template: "OIDC", organization: "org-a", oidc: { ...settings, clientSecret: "sealed" } },
};
export const ofInstance: IDPState = { ...ofOrganization, serves: "INSTANCE" };

/** A provider of a template that was created with options. */
export function stateOf(template: Template, more: Partial<IDPState> = {}): IDPState {
  const setup = setups.find((one) => one.template === template)!;
  const { idp: events = [] } = addIDP(
    { ...inOrganization, autoRegister: false, options },
    setup,
  ).events;
  const state = events.reduce<IDPState | undefined>(
    (before, event) => idp.evolve(before, { ...event, ...envelope }),
    undefined,
  );
  return { ...state!, ...more };
}

/** What the contract lets who holds these change. */
export function rightsOf(memberships: readonly Membership[]): ProviderRights {
  return { memberships, permission: "iam.idp.write", ownerPermission: "org.idp.write" };
}
