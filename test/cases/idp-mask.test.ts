import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { runCases } from "../harness/cases.ts";
import { type Masked, maskRows } from "./masks.ts";

// Updates of providers, of the instance and of an organization, change what their mask names.

const admin = AdminService.method;
const management = ManagementService.method;

const reading = ({ idpId: id = "" }: JsonObject) => ({ id });
const older = [
  { read: admin.getIDPByID, reading },
  { read: management.getOrgIDPByID, reading },
] as const;

const oidc = {
  ...{ clientId: "other", scopes: ["email", "openid"] },
  usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
};
const jwt = {
  ...{ jwtEndpoint: "https://other.example.com/jwt", issuer: "https://other.example.com" },
  ...{ keysEndpoint: "https://other.example.com/keys", headerName: "x-other" },
};
const look = { stylingType: "STYLING_TYPE_GOOGLE", autoRegister: true };

const withoutOptions: readonly Masked[] = [
  { ...older[0], method: admin.updateIDP, at: ["idp"], others: look },
  { ...older[1], method: management.updateOrgIDP, at: ["idp"], others: look },
  {
    ...{ ...older[1], method: management.updateOrgIDPOIDCConfig },
    ...{ at: ["idp", "oidcConfig"], others: oidc },
  },
  { ...older[0], method: admin.updateIDPJWTConfig, at: ["idp", "jwtConfig"], others: jwt },
  {
    ...{ ...older[1], method: management.updateOrgIDPJWTConfig },
    ...{ at: ["idp", "jwtConfig"], others: jwt },
  },
];

const providerOptions = {
  ...{ isLinkingAllowed: true, isCreationAllowed: true, isAutoCreation: true },
  ...{ isAutoUpdate: true, autoLinking: "AUTO_LINKING_OPTION_EMAIL" },
};
const client = { clientId: "other", scopes: ["openid"], providerOptions };
const { usernameMapping: _older, ...generic } = oidc;

/** By the method that both services have, the name of the configuration, and other values. */
const templates = {
  updateGenericOIDCProvider: [
    "oidc",
    { ...generic, isIdTokenMapping: true, usePkce: false, providerOptions },
  ],
  updateJWTProvider: ["jwt", { ...jwt, providerOptions }],
  updateGoogleProvider: ["google", client],
  updateGitHubProvider: ["github", client],
  updateAzureADProvider: [
    "azureAd",
    {
      ...{ ...client, emailVerified: true },
      tenant: { tenantId: "2f4a9838-26b7-47ee-be60-ccc1fdec5953" },
    },
  ],
} as const;

/** The settings of a provider as an update names them. */
const settingsAt = (name: string) => (answer: JsonObject) => {
  const { config, ...rest } = answer.idp as { readonly config: JsonObject } & JsonObject;
  const { options = {}, [name]: settings } = config;
  return { name: rest.name!, providerOptions: options, ...(settings as JsonObject) };
};

const withOptions = Object.entries(templates).flatMap(([name, [template, others]]) =>
  [admin, management].map((methods): Masked => {
    const method = methods[name as keyof typeof templates] as DescMethodUnary;
    const at = settingsAt(template);
    return { method, read: methods.getProviderByID, at, others: others as JsonObject };
  }),
);

runCases("masks of providers", [...withoutOptions, ...withOptions].flatMap(maskRows));
