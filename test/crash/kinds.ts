import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  APIAuthMethodType,
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../../gen/iam/app/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";

/** A kind of call that writes. */
interface Kind {
  readonly method: DescMethodUnary;
  /** What its streams are called, before the id. */
  readonly noun: string;
  /** The request that makes a thing of the name, in a project where it belongs to one. */
  readonly request: (name: string, projectId: string) => Message;
  /** The id of what was made, in the answer. */
  readonly idOf: (answer: Message) => string;
}

const { method } = ManagementService;

/** The calls that make things: of one event, of several, and of one that leaves a mail behind. */
export const kinds = {
  project: kind(method.addProject, "project", (name) => ({ name }), "id"),
  api: kind(
    method.addAPIApp,
    "app",
    (name, projectId) => ({
      ...{ name, projectId },
      authMethodType: APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC,
    }),
    "appId",
  ),
  oidc: kind(
    method.addOIDCApp,
    "app",
    (name, projectId) => ({
      ...{ name, projectId },
      redirectUris: ["https://app.example.com/callback"],
      responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_CODE],
      grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE],
      appType: OIDCAppType.OIDC_APP_TYPE_WEB,
      authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_BASIC,
    }),
    "appId",
  ),
  action: kind(method.createAction, "action", (name) => ({ name, script: "1" }), "id"),
  provider: kind(
    method.addOrgOIDCIDP,
    "idp",
    (name) => ({
      name,
      issuer: "https://login.example.com",
      clientId: "iam",
      clientSecret: "what the provider gave us",
      scopes: ["openid"],
    }),
    "idpId",
  ),
  person: kind(
    method.importHumanUser,
    "user",
    (userName) => ({
      userName,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `${userName}@example.com` },
    }),
    "userId",
  ),
} as const satisfies { readonly [name: string]: Kind };

/** A kind of thing that calls make. */
export type KindName = keyof typeof kinds;

function kind<I extends DescMessage, O extends DescMessage, Id extends keyof MessageShape<O>>(
  unary: DescMethodUnary<I, O>,
  noun: string,
  init: (name: string, projectId: string) => MessageInitShape<I>,
  id: Id,
): Kind {
  return {
    method: unary,
    noun,
    request: (name, projectId) => create(unary.input, init(name, projectId)),
    idOf: (answer) => String((answer as MessageShape<O>)[id]),
  };
}
