import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { AutoLinkingOption, AzureADTenantType } from "../../gen/iam/idp/v1/provider_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ProviderOptions, Serves, Template } from "../../src/domain/idp-config.ts";

/** What the tables on providers of templates share: a row of methods for each template. */

const services = { INSTANCE: AdminService.method, ORGANIZATION: ManagementService.method };
export const bothLevels: readonly Serves[] = ["INSTANCE", "ORGANIZATION"];

/** Answers and requests of the methods, as far as all have the same. */
export type Added = Message & { readonly id: string };

/** A template: its methods, what requests say, and what the log has of it. */
interface Tried {
  readonly template: Template;
  readonly name: "GenericOIDC" | "JWT" | "Google" | "GitHub" | "AzureAD";
  /** The part of the event types. */
  readonly part: string;
  /** The case of the configuration in answers. */
  readonly config: string;
  readonly hasSecret: boolean;
  /** Settings in a request, beside name, secret and options. */
  readonly smallest: object;
  /** What is stored of them. */
  readonly stored: object;
  /** Others, of which each differs. */
  readonly whole: object;
  readonly storedWhole: object;
}

const issuer = "https://idp.example.com";
const oidc = { issuer, clientId: "client" };
const unmapped = { displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" };
const jwt = {
  ...{ issuer, jwtEndpoint: `${issuer}/jwt`, keysEndpoint: `${issuer}/keys`, headerName: "a" },
};
const tenantId = "2F4A9838-26b7-47ee-be60-ccc1fdec5953";
const whole = { clientId: "other", scopes: ["openid", "a"] };
const client = { hasSecret: true, smallest: { clientId: "client" }, part: "client", whole };
const stored = { stored: { clientId: "client", scopes: [] }, storedWhole: whole };

export const tried: readonly Tried[] = [
  {
    ...{ template: "OIDC", name: "GenericOIDC", part: "oidc", config: "oidc", hasSecret: true },
    smallest: oidc,
    stored: { ...oidc, ...unmapped, scopes: [], isIdTokenMapping: false, usesPkce: false },
    whole: { ...whole, issuer, isIdTokenMapping: true, usePkce: true },
    storedWhole: {
      ...{ ...whole, ...unmapped, issuer },
      ...{ isIdTokenMapping: true, usesPkce: true },
    },
  },
  {
    ...{ template: "JWT", name: "JWT", part: "jwt", config: "jwt", hasSecret: false },
    ...{ smallest: jwt, stored: jwt },
    ...{ whole: { ...jwt, headerName: "b" }, storedWhole: { ...jwt, headerName: "b" } },
  },
  { ...client, ...stored, template: "GOOGLE", name: "Google", config: "google" },
  { ...client, ...stored, template: "GITHUB", name: "GitHub", config: "github" },
  {
    ...{ ...client, template: "AZURE_AD", name: "AzureAD", config: "azureAd" },
    stored: { ...stored.stored, tenant: "common", trustsEmail: false },
    whole: {
      ...whole,
      tenant: { type: { case: "tenantId", value: tenantId } },
      emailVerified: true,
    },
    storedWhole: { ...whole, tenant: tenantId.toLowerCase(), trustsEmail: true },
  },
];

/** The method on a template at one level. */
export function methodOf(verb: "add" | "update", { name }: Tried, serves: Serves) {
  return services[serves][`${verb}${name}Provider`] as DescMethodUnary;
}

/** The three methods on all templates at one level. */
export function methodsAt(serves: Serves) {
  const { getProviderByID, listProviders, deleteProvider } = services[serves];
  return { getProviderByID, listProviders, deleteProvider } as {
    readonly [name in "getProviderByID" | "listProviders" | "deleteProvider"]: DescMethodUnary;
  };
}

/** Options that let links alone, and all of them. */
export const linking = { isLinkingAllowed: true };
export const storedLinking: ProviderOptions = {
  ...{ isLinkingAllowed: true, isCreationAllowed: false, isAutoCreation: false },
  ...{ isAutoUpdate: false, autoLinking: "NONE" },
};
export const everything = {
  ...{ isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: true, isAutoUpdate: true },
  autoLinking: AutoLinkingOption.EMAIL,
};
export const storedEverything: ProviderOptions = { ...everything, autoLinking: "EMAIL" };

export const consumers = {
  type: { case: "tenantType", value: AzureADTenantType.AZURE_AD_TENANT_TYPE_CONSUMERS },
} as const;
