import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AddOIDCIDPRequest } from "../../../gen/iam/admin/v1/idp_pb.js";
import type { AddAzureADProviderRequest } from "../../../gen/iam/admin/v1/provider_azure_pb.js";
import type { AddGenericOIDCProviderRequest } from "../../../gen/iam/admin/v1/provider_pb.js";
import { IDPStylingType, OIDCMappingField } from "../../../gen/iam/idp/v1/idp_pb.js";
import {
  AutoLinkingOption,
  type AzureADTenant,
  AzureADTenantType,
  type Options,
  type ProviderConfigSchema,
} from "../../../gen/iam/idp/v1/provider_pb.js";
import type { IDPState } from "../../domain/idp.ts";
import type { Settings } from "../../domain/idp-change.ts";
import type {
  ClientSettings,
  JWTProvider,
  OIDCSettings,
  ProviderOptions,
  Template,
} from "../../domain/idp-config.ts";
import { oidcDefaults } from "../../domain/idp-sign-in.ts";
import { mustExist } from "../../domain/noun.ts";
import { enumNames } from "../enum.ts";

export const stylingTypes = enumNames(IDPStylingType, "STYLING_TYPE_");
const mappingFields = enumNames(OIDCMappingField, "OIDC_MAPPING_FIELD_");

type ConfigInit = NonNullable<MessageInitShape<typeof ProviderConfigSchema>["config"]>;

/** How requests give what is set of a template, and answers tell it: under the same names. */
export interface Form<Given> {
  readonly template: Template;
  /** What no field of the request gives, as a new provider has it. */
  readonly initial?: Partial<Settings>;
  read(given: Given): Partial<Settings>;
  show(state: IDPState): ConfigInit & { readonly value: object };
}

type GivenOIDC = Pick<
  AddGenericOIDCProviderRequest,
  "issuer" | "clientId" | "scopes" | "isIdTokenMapping" | "usePkce"
>;
type GivenAzureAD = Pick<
  AddAzureADProviderRequest,
  "clientId" | "scopes" | "tenant" | "emailVerified"
>;

export const genericOIDC: Form<GivenOIDC> = {
  template: "OIDC",
  initial: { displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" },
  read: ({ issuer, clientId, scopes, isIdTokenMapping, usePkce: usesPkce }) => ({
    ...{ issuer, clientId, scopes, isIdTokenMapping, usesPkce },
  }),
  show: ({ oidc }) => {
    const { issuer, clientId, scopes, isIdTokenMapping, usesPkce } = {
      ...oidcDefaults,
      ...mustExist(oidc),
    };
    const value = { issuer, clientId, scopes: [...scopes], isIdTokenMapping, usePkce: usesPkce };
    return { case: "oidc", value };
  },
};

export const jwt: Form<JWTProvider> = {
  template: "JWT",
  read: readJWT,
  show: (state) => ({ case: "jwt", value: mustExist(state.jwt) }),
};

export const google: Form<ClientSettings> = {
  template: "GOOGLE",
  read: readClient,
  show: (state) => ({ case: "google", value: showClient(state) }),
};

export const gitHub: Form<ClientSettings> = {
  template: "GITHUB",
  read: readClient,
  show: (state) => ({ case: "github", value: showClient(state) }),
};

export const azureAD: Form<GivenAzureAD> = {
  template: "AZURE_AD",
  read: (given) => ({
    ...readClient(given),
    ...{ tenant: readTenant(given.tenant), trustsEmail: given.emailVerified },
  }),
  show: (state) => {
    const { tenant = "common", trustsEmail = false } = mustExist(state.client);
    const value = { ...showClient(state), tenant: showTenant(tenant), emailVerified: trustsEmail };
    return { case: "azureAd", value };
  },
};

/** The form of each template. */
export const forms: { readonly [template in Template]: Pick<Form<never>, "show"> } = {
  ...{ OIDC: genericOIDC, JWT: jwt, GOOGLE: google, GITHUB: gitHub, AZURE_AD: azureAD },
};

/** What requests set of a JWT provider. */
export function readJWT({ jwtEndpoint, issuer, keysEndpoint, headerName }: JWTProvider) {
  return { jwtEndpoint, issuer, keysEndpoint, headerName };
}

/** What requests without options say of an OIDC provider. */
export type OlderOIDC = Pick<
  AddOIDCIDPRequest,
  "issuer" | "clientId" | "scopes" | "displayNameMapping" | "usernameMapping"
>;

/** What requests without options set of an OIDC provider. */
export function readOIDC(request: OlderOIDC): OIDCSettings {
  const { issuer, clientId, scopes, displayNameMapping, usernameMapping } = request;
  return {
    ...{ issuer, clientId, scopes },
    displayNameMapping: mappingFields.read(displayNameMapping),
    usernameMapping: mappingFields.read(usernameMapping),
  };
}

/** The same as answers tell it. */
export function showOIDC(settings: OIDCSettings) {
  const { clientId, issuer, scopes, displayNameMapping, usernameMapping } = settings;
  return {
    ...{ clientId, issuer, scopes: [...scopes] },
    displayNameMapping: mappingFields.show(displayNameMapping),
    usernameMapping: mappingFields.show(usernameMapping),
  };
}

/** The options that a request gives; none allow nothing, which the rules of messages refuse. */
export function readOptions(given: Options | undefined): ProviderOptions {
  const {
    isLinkingAllowed = false,
    isCreationAllowed = false,
    isAutoCreation = false,
  } = given ?? {};
  const { isAutoUpdate = false, autoLinking } = given ?? {};
  return {
    ...{ isLinkingAllowed, isCreationAllowed, isAutoCreation, isAutoUpdate },
    autoLinking: autoLinking === AutoLinkingOption.EMAIL ? "EMAIL" : "NONE",
  };
}

/** The same as answers tell them. */
export function showOptions({ autoLinking, ...options }: ProviderOptions) {
  return {
    ...options,
    autoLinking: AutoLinkingOption[autoLinking === "EMAIL" ? "EMAIL" : "UNSPECIFIED"],
  };
}

function readClient({ clientId, scopes }: Pick<ClientSettings, "clientId" | "scopes">) {
  return { clientId, scopes };
}

function showClient({ client }: IDPState) {
  const { clientId, scopes } = mustExist(client);
  return { clientId, scopes: [...scopes] };
}

/** The kinds of accounts as the addresses of Entra name them. */
const tenants: { readonly [type in AzureADTenantType]: string } = {
  [AzureADTenantType.AZURE_AD_TENANT_TYPE_COMMON]: "common",
  [AzureADTenantType.AZURE_AD_TENANT_TYPE_ORGANISATIONS]: "organizations",
  [AzureADTenantType.AZURE_AD_TENANT_TYPE_CONSUMERS]: "consumers",
};

function readTenant(given: AzureADTenant | undefined): string {
  const { type } = given ?? {};
  // Tokens name a tenant in lower case.
  return type?.case === "tenantId" ? type.value.toLowerCase() : tenants[type?.value ?? 0];
}

function showTenant(tenant: string) {
  const types = Object.entries(tenants).flatMap(([type, name]) =>
    name === tenant ? [Number(type) as AzureADTenantType] : [],
  );
  const [tenantType] = types;
  return tenantType === undefined
    ? { type: { case: "tenantId", value: tenant } as const }
    : { type: { case: "tenantType", value: tenantType } as const };
}
