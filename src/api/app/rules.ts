import type { OIDCGrantType, OIDCResponseType } from "../../../gen/iam/app/v1/app_pb.js";
import { UpdateAppRequestSchema } from "../../../gen/iam/management/v1/app_change_pb.js";
import * as config from "../../../gen/iam/management/v1/app_config_pb.js";
import * as adding from "../../../gen/iam/management/v1/app_pb.js";
import { clockSkewProblem, flowViolations } from "../../domain/app/create.ts";
import type { Problem } from "../../domain/decision.ts";
import {
  callProblem,
  deviceSchemes,
  linkProblem,
  originProblem,
  redirectUriProblem,
} from "../../domain/uri.ts";
import { urlProblem } from "../../fetch/fetcher.ts";
import { name, rulesOf, text, time } from "../field-rule.ts";
import { grantTypes, responseTypes } from "./enums.ts";

const link =
  "an absolute URI without white space and invisible characters, http and https with a host, and " +
  `no scheme that can run scripts or read files (${deviceSchemes.join(", ")}, or a single letter)`;
const trimmed = (problemOf: (uri: string) => Problem) => (uri: string) => problemOf(uri.trim());
const metadataUrl = text("an absolute URL without user or password", urlProblem);

const oidc = {
  redirectUris: text(`${link}, and no fragment (RFC 6749, 3.1.2)`, trimmed(redirectUriProblem)),
  postLogoutRedirectUris: text(link, trimmed(linkProblem)),
  additionalOrigins: text(
    "scheme://hostname[:port] without user, path, query or fragment",
    trimmed(originProblem),
  ),
  clockSkew: time("from 0, the default, to 5 seconds", clockSkewProblem),
  backChannelLogoutUri: text(
    "an absolute http or https URL without user, password and fragment",
    trimmed(callProblem),
  ),
};
const brokenFlows = (given: {
  readonly responseTypes: readonly OIDCResponseType[];
  readonly grantTypes: readonly OIDCGrantType[];
}) =>
  flowViolations({
    responseTypes: responseTypes.known(given.responseTypes),
    grantTypes: grantTypes.known(given.grantTypes),
  });

/** What the domain asks of the fields of applications: see `fieldRules`. */
export const appRules = [
  rulesOf(adding.AddOIDCAppRequestSchema, { name, ...oidc }, brokenFlows),
  rulesOf(UpdateAppRequestSchema, { name }),
  rulesOf(config.UpdateOIDCAppConfigRequestSchema, oidc, brokenFlows),
  rulesOf(config.AddRedirectURIRequestSchema, { uri: oidc.redirectUris }),
  rulesOf(adding.AddAPIAppRequestSchema, { name }),
  rulesOf(adding.AddSAMLAppRequestSchema, { name, metadataUrl }),
  rulesOf(config.UpdateSAMLAppConfigRequestSchema, { metadataUrl }),
];
