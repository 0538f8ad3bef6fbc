import * as adminChange from "../../../gen/iam/admin/v1/idp_change_pb.js";
import * as adminIDP from "../../../gen/iam/admin/v1/idp_pb.js";
import * as adminAzure from "../../../gen/iam/admin/v1/provider_azure_pb.js";
import * as adminClient from "../../../gen/iam/admin/v1/provider_client_pb.js";
import * as adminProvider from "../../../gen/iam/admin/v1/provider_pb.js";
import {
  AutoLinkingOption,
  AzureADTenantSchema,
  type Options,
} from "../../../gen/iam/idp/v1/provider_pb.js";
import * as ofChange from "../../../gen/iam/management/v1/idp_change_pb.js";
import * as ofIDP from "../../../gen/iam/management/v1/idp_pb.js";
import * as ofAzure from "../../../gen/iam/management/v1/provider_azure_pb.js";
import * as ofClient from "../../../gen/iam/management/v1/provider_client_pb.js";
import * as ofProvider from "../../../gen/iam/management/v1/provider_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { headerNameProblem, scopeProblem, tenantProblem } from "../../domain/idp-config.ts";
import { httpUrlProblem, issuerProblem, stringOrUriProblem } from "../../domain/uri.ts";
import { name, plain, rulesOf, text } from "../field-rule.ts";

const scopes = text("visible characters, without white space", scopeProblem);
const httpUrl = text("absolute http or https URL without user or password", httpUrlProblem);
const client = { clientId: name, scopes };
const oidc = {
  ...client,
  issuer: text(
    "an https URL without user, query or fragment; http only for loopback hosts",
    issuerProblem,
  ),
};
const jwt = {
  ...{ jwtEndpoint: httpUrl, keysEndpoint: httpUrl },
  issuer: text(`not blank, ${plain}; a URI where it has a colon`, stringOrUriProblem),
  headerName: text("characters of a header name", headerNameProblem),
};

/** What the domain asks of the fields of identity providers: see `fieldRules`. */
export const idpRules = [
  rulesOf(adminIDP.AddJWTIDPRequestSchema, { name, ...jwt }),
  rulesOf(adminIDP.AddOIDCIDPRequestSchema, { name, ...oidc }),
  rulesOf(adminIDP.UpdateIDPOIDCConfigRequestSchema, oidc),
  rulesOf(adminChange.UpdateIDPRequestSchema, { name }),
  rulesOf(adminChange.UpdateIDPJWTConfigRequestSchema, jwt),
  rulesOf(ofIDP.AddOrgJWTIDPRequestSchema, { name, ...jwt }),
  rulesOf(ofIDP.AddOrgOIDCIDPRequestSchema, { name, ...oidc }),
  rulesOf(ofChange.UpdateOrgIDPRequestSchema, { name }),
  rulesOf(ofChange.UpdateOrgIDPOIDCConfigRequestSchema, oidc),
  rulesOf(ofChange.UpdateOrgIDPJWTConfigRequestSchema, jwt),
  ...[adminProvider, ofProvider].flatMap((of) => [
    rulesOf(of.AddGenericOIDCProviderRequestSchema, { name, ...oidc }, optionViolations),
    rulesOf(of.UpdateGenericOIDCProviderRequestSchema, { name, ...oidc }, optionViolations),
    rulesOf(of.AddJWTProviderRequestSchema, { name, ...jwt }, optionViolations),
    rulesOf(of.UpdateJWTProviderRequestSchema, { name, ...jwt }, optionViolations),
  ]),
  ...[adminClient, ofClient].flatMap((of) => [
    rulesOf(of.AddGoogleProviderRequestSchema, { name, ...client }, optionViolations),
    rulesOf(of.UpdateGoogleProviderRequestSchema, { name, ...client }, optionViolations),
    rulesOf(of.AddGitHubProviderRequestSchema, { name, ...client }, optionViolations),
    rulesOf(of.UpdateGitHubProviderRequestSchema, { name, ...client }, optionViolations),
  ]),
  ...[adminAzure, ofAzure].flatMap((of) => [
    rulesOf(of.AddAzureADProviderRequestSchema, { name, ...client }, optionViolations),
    rulesOf(of.UpdateAzureADProviderRequestSchema, { name, ...client }, optionViolations),
  ]),
  rulesOf(AzureADTenantSchema, { tenantId: text("a UUID, and no domain", tenantProblem) }),
];

/** What is wrong with the options of a provider, each of which must have an effect. */
export function optionViolations({
  providerOptions: given,
}: {
  readonly providerOptions?: Options | undefined;
}): readonly Violation[] {
  if (!given?.isLinkingAllowed && !given?.isCreationAllowed) return [nobody];
  const { isLinkingAllowed, isCreationAllowed, isAutoCreation, autoLinking } = given;
  return [
    ...(isAutoCreation && !isCreationAllowed
      ? [needs("is_auto_creation", "is_creation_allowed")]
      : []),
    ...(autoLinking === AutoLinkingOption.USERNAME ? [byUserName] : []),
    ...(autoLinking === AutoLinkingOption.EMAIL && !isLinkingAllowed
      ? [needs("auto_linking", "is_linking_allowed")]
      : []),
  ];
}

const nobody: Violation = {
  field: "provider_options",
  description: "must let somebody in: set is_linking_allowed, is_creation_allowed or both",
  names: ["is_linking_allowed", "is_creation_allowed"],
};

const byUserName: Violation = {
  field: "provider_options.auto_linking",
  description:
    "must not be by user name, which anybody can choose at a provider: use " +
    "AUTO_LINKING_OPTION_EMAIL, or leave it out",
};

function needs(field: string, other: string): Violation {
  return {
    field: `provider_options.${field}`,
    description: `has no effect without ${other}`,
    names: [other],
  };
}
