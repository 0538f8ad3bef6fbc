import {
  create,
  type DescMessage,
  type DescMethodUnary,
  getOption,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.js";
import { ActionFieldName } from "../gen/iam/action/v1/action_pb.js";
import {
  APIAuthMethodType,
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../gen/iam/app/v1/app_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import type { UserGrantQuerySchema } from "../gen/iam/user/v1/grant_pb.js";
import { TextQueryMethod } from "../gen/iam/v1/search_pb.js";
import { writePageToken } from "../src/api/page-token.ts";
import { filledAction } from "./fill.ts";
import { grantedRole } from "./grants/fill.ts";
import { noop } from "./noop.ts";
import { digits, filledId, type Protocol, type Template } from "./template.ts";

/** What is called. */
export type Operation =
  | "noop"
  | "AddAPIApp"
  | "AddOIDCApp"
  | "AddOrgOIDCIDP"
  | "AddMachineUser"
  | "AddUserGrant"
  | Import
  | Read;

/** An import of someone with a password, which is hashed, or with a hash, which is only kept. */
type Import = "ImportHumanUser" | "ImportHumanUser hashed";

/** Reads of what `fillStore` made, by gRPC: REST would need another verb, or the id in the path. */
type Read =
  | "GetAppByID"
  | "ListApps"
  | "ListActions by name"
  | "ListActions containing a text"
  | "ListActions from the middle by offset"
  | "ListActions from the middle by token"
  | "ListUserGrants"
  | "ListUserGrants by project"
  | "ListUserGrants by role key"
  | "ListUserGrants by user";

/** Where calls go and what they say there. */
export interface Target {
  readonly port: number;
  readonly token: string;
  readonly project: string;
  /** How many actions a filled store has. */
  readonly actions?: number;
  /** A user who has a grant. */
  readonly user?: string;
}

/** Stands where the digits come that make a name or an id another in each call. */
export const placeholder = "#".repeat(digits);
const name = `bench application ${placeholder}`;

/** A call of the service. */
export function serviceRequest(protocol: Protocol, operation: Operation, target: Target): Template {
  const { method, json, binary } = encoded(operation, target);
  const rpcPath = `/${method.parent.typeName}/${method.name}`;
  if (protocol !== "rest") return request(protocol, rpcPath, target.token, json, binary);
  const { projectId: _inPath, ...body } = json;
  const path = `${getOption(method, http).pattern.value}`;
  return request("rest", path.replace("{project_id}", target.project), target.token, body, binary);
}

/** The no-op's message on any path, for servers that only echo it. */
export function echoRequest(protocol: Protocol, path: string): Template {
  const { json, binary } = encoded("noop", { project: "019a0000-0000-7000-8000-000000000000" });
  return request(protocol, path, `iam_pat_${"x".repeat(49)}`, json, binary);
}

interface Encoded {
  readonly method: DescMethodUnary;
  readonly json: { readonly [field: string]: unknown };
  readonly binary: Uint8Array;
}

type Encoding = Pick<Target, "project" | "actions" | "user">;

function encoded(
  operation: Operation,
  { project: projectId, actions = 0, user: userId = "" }: Encoding,
): Encoded {
  const { method } = ManagementService;
  const apiApp = { projectId, name, authMethodType: APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC };
  switch (operation) {
    case "noop":
      return encode(noop, apiApp);
    case "AddAPIApp":
      return encode(method.addAPIApp, apiApp);
    case "AddOIDCApp":
      return encode(method.addOIDCApp, { projectId, ...oidcSettings });
    case "AddOrgOIDCIDP":
      return encode(method.addOrgOIDCIDP, providerSettings);
    case "AddMachineUser":
      return encode(method.addMachineUser, { userName: name, name });
    case "ImportHumanUser":
      return encode(method.importHumanUser, { ...person, password });
    case "ImportHumanUser hashed":
      return encode(method.importHumanUser, { ...person, hashedPassword });
    case "GetAppByID":
      return encode(method.getAppByID, { projectId, appId: filledId(placeholder) });
    case "ListApps":
      return encode(method.listApps, { projectId });
    case "ListActions by name":
      return encode(method.listActions, { sortingColumn: ActionFieldName.NAME });
    case "ListActions containing a text":
      return encode(method.listActions, {
        queries: [
          { query: { case: "actionNameQuery", value: { name: "on 99", method: CONTAINS } } },
        ],
      });
    case "ListActions from the middle by offset":
      return encode(method.listActions, { query: { offset: BigInt(Math.floor(actions / 2)) } });
    case "ListActions from the middle by token":
      return encode(method.listActions, {
        query: { pageToken: middleOf(actions) },
        sortingColumn: ActionFieldName.NAME,
      });
    case "AddUserGrant":
      return encode(method.addUserGrant, {
        ...{ userId: filledId(placeholder), projectId, roleKeys: [grantedRole] },
      });
    case "ListUserGrants":
      return encode(method.listUserGrants, {});
    case "ListUserGrants by project":
      return grantsWhere({ case: "projectIdQuery", value: { projectId } });
    case "ListUserGrants by role key":
      return grantsWhere({ case: "roleKeyQuery", value: { roleKey: grantedRole } });
    case "ListUserGrants by user":
      return grantsWhere({ case: "userIdQuery", value: { userId } });
  }
}

type GrantQuery = NonNullable<MessageInitShape<typeof UserGrantQuerySchema>["query"]>;

function grantsWhere(query: GrantQuery): Encoded {
  return encode(ManagementService.method.listUserGrants, { queries: [{ query }] });
}

const { CONTAINS } = TextQueryMethod;

/** A place among the names of so many actions. */
function middleOf(actions: number): string {
  const folded = filledAction(Math.floor(actions / 2));
  return writePageToken(
    { kind: "action", sortBy: "name", descending: true },
    { folded, first: 1n },
  );
}

function encode<I extends DescMessage>(
  method: DescMethodUnary<I>,
  init: MessageInitShape<I>,
): Encoded {
  const message = create(method.input, init);
  const json = toJson(method.input, message) as Encoded["json"];
  return { method, json, binary: toBinary(method.input, message) };
}

const oidcSettings = {
  name,
  redirectUris: ["https://app.example.com/callback", "https://app.example.com/silent"],
  responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_CODE],
  grantTypes: [
    OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE,
    OIDCGrantType.OIDC_GRANT_TYPE_REFRESH_TOKEN,
  ],
  appType: OIDCAppType.OIDC_APP_TYPE_WEB,
  authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_BASIC,
  postLogoutRedirectUris: ["https://app.example.com/goodbye"],
  idTokenRoleAssertion: true,
  clockSkew: { seconds: 1n },
  additionalOrigins: ["https://admin.example.com"],
};

const providerSettings = {
  ...{ name, clientId: "iam", clientSecret: "correct-horse-battery-staple" },
  ...{ issuer: "https://idp.example.com", scopes: ["openid", "email"] },
};

/** To someone whose address is verified, and who has a password, no mail is sent. */
const person = {
  userName: name,
  profile: { firstName: "Ada", lastName: placeholder, preferredLanguage: "en" },
  email: { email: `${placeholder}@example.com`, isEmailVerified: true },
};
const password = "correct horse battery staple";
const hashedPassword = {
  value: `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`,
};

/** A POST of JSON to anything that takes it. */
export function jsonRequest(
  path: string,
  headers: { readonly [name: string]: string },
  json: object,
): Template {
  const body = Buffer.from(JSON.stringify(json));
  const lines = Object.entries({ ...headers, "content-type": "application/json" });
  const bytes = Buffer.concat([head(path, body, lines), body]);
  return { protocol: "rest", path, token: "", bytes, digitsAt: placesIn(bytes) };
}

/** Where the digits of a call are to be put. */
function placesIn(bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, at + digits)) {
    places.push(at);
  }
  return places;
}

/** A POST of a form, the same each time. */
export function formRequest(
  path: string,
  headers: { readonly [name: string]: string },
  fields: object,
): Template {
  const body = Buffer.from(new URLSearchParams({ ...fields }).toString());
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const bytes = Buffer.concat([head(path, body, Object.entries({ ...headers, ...type })), body]);
  return { protocol: "rest", path, token: "", bytes, digitsAt: [] };
}

function request(
  protocol: Protocol,
  path: string,
  token: string,
  json: Encoded["json"],
  binary: Uint8Array,
): Template {
  const isJson = protocol === "connect" || protocol === "rest";
  const body = isJson ? Buffer.from(JSON.stringify(json)) : framed(binary);
  const lines: [string, string][] = [
    ["authorization", `Bearer ${token}`],
    ["content-type", `application/${isJson ? "json" : "grpc-web+proto"}`],
  ];
  if (protocol === "connect") lines.push(["connect-protocol-version", "1"]);
  if (protocol === "grpc-web") lines.push(["x-grpc-web", "1"]);
  const bytes = protocol === "grpc" ? body : Buffer.concat([head(path, body, lines), body]);
  return { protocol, path, token, bytes, digitsAt: placesIn(bytes) };
}

function head(path: string, body: Buffer, headers: readonly [string, string][]): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
}

/** A message as gRPC frames it: not compressed, with its length before it. */
function framed(message: Uint8Array): Buffer {
  const length = Buffer.alloc(5);
  length.writeUInt32BE(message.length, 1);
  return Buffer.concat([length, message]);
}
