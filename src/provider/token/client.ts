import type { ClientMetadata, JWK } from "oidc-provider";
import type { Frame } from "../../domain/access.ts";
import { type OIDCSettings, oidcHasSecret } from "../../domain/app/app.ts";
import type { MachineProof } from "../../domain/user/state/machine-entry.ts";
import { anybody } from "../base/destination.ts";
import { deviceGrant } from "../base/device.ts";
import type { FoundClient } from "../base/rows.ts";
import { keyIdIn, signersOf } from "./assertion.ts";

/**
 * An application as the library reads it; undefined where it cannot log anybody in: without a
 * redirect URI nobody comes back, but on a device, and who proves itself by a secret or by keys
 * needs one, of which a key must not have ended. Where it proves itself by an assertion now, its
 * keys are those that may have signed that.
 */
export function metadataOf(
  found: FoundClient,
  nowMs: number,
  assertion?: unknown,
): ClientMetadata | undefined {
  const { name, config } = found;
  const { organization, hasProjectCheck, projectRoleCheck } = found.project;
  const { projectId } = found;
  const { clientId, clientSecretHash, authMethod, redirectUris } = config;
  const keys = authMethod === "PRIVATE_KEY_JWT" ? jwksOf(found, nowMs, assertion) : undefined;
  const isForDevices = config.grantTypes.includes("DEVICE_CODE");
  const hasWayBack = redirectUris.length > 0;
  if (keys?.length === 0 || !(hasWayBack || isForDevices)) return undefined;
  if (oidcHasSecret(authMethod) && clientSecretHash === undefined) return undefined;
  const types = hasWayBack ? responseTypesOf(config) : [];
  return {
    client_id: clientId,
    client_name: name,
    // What is kept of it: see `compareClientSecret`.
    ...(clientSecretHash === undefined ? {} : { client_secret: clientSecretHash }),
    token_endpoint_auth_method: authMethods[authMethod],
    ...(keys === undefined
      ? {}
      : { jwks: { keys }, token_endpoint_auth_signing_alg: "RS256" as const }),
    application_type: config.appType === "NATIVE" ? "native" : "web",
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...config.postLogoutRedirectUris],
    response_types: types,
    ours: {
      origins: originsOf(config),
      projectId,
      isEnveloped: config.accessTokenType === "JWT",
      assertsUserinfo: config.idTokenUserinfoAssertion,
      skewSeconds: skewSecondsOf(config),
      isTold: config.backChannelLogoutUri !== undefined,
      asserted: {
        project: found.project.projectRoleAssertion,
        idToken: config.idTokenRoleAssertion,
        accessToken: config.accessTokenRoleAssertion,
      },
      project: { projectId, organization, hasProjectCheck, projectRoleCheck },
    } satisfies OurMetadata,
    grant_types: [
      ...(types.includes("code") ? ["authorization_code"] : []),
      ...(types.some((type) => type !== "code") ? ["implicit"] : []),
      ...(config.grantTypes.includes("REFRESH_TOKEN") ? ["refresh_token"] : []),
      ...(isForDevices ? [deviceGrant] : []),
    ],
  };
}

/** By how much the clock of an application may differ, in whole seconds, which tokens have. */
export function skewSecondsOf({ clockSkewNanos }: Pick<OIDCSettings, "clockSkewNanos">): number {
  return Math.ceil(clockSkewNanos / 1e9);
}

/** What the library carries along for us, under the name `ours`. */
export interface OurMetadata {
  /** Origins of browsers whose scripts may call in the name of the application. */
  readonly origins: readonly string[];
  /** Left out where it is a machine, which is of no project. */
  readonly projectId?: string;
  /** Whether its access tokens are JWTs. */
  readonly isEnveloped: boolean;
  /** Whether its id tokens say what userinfo does. */
  readonly assertsUserinfo: boolean;
  /** See `skewSecondsOf`. */
  readonly skewSeconds: number;
  /** Whether it is told when a session has ended in which somebody logged in to it. */
  readonly isTold: boolean;
  /** Where all roles of its project are told without being asked for. */
  readonly asserted: AssertedRoles;
  /** Of a machine: by what it proves itself now. */
  readonly proof?: MachineProof;
  /** Who may log in. */
  readonly project: Frame;
}

/** Whether roles are told without being asked for, by the switches of a project and a client. */
export interface AssertedRoles {
  /** In userinfo and introspection. */
  readonly project: boolean;
  readonly idToken: boolean;
  readonly accessToken: boolean;
}

/** What is said of what is of no project. */
export const noRoles: AssertedRoles = { project: false, idToken: false, accessToken: false };

/** What is carried along with what is of no project, and logs in no browser to an application. */
export function oursBeside(organization: string) {
  return {
    origins: [],
    isEnveloped: false,
    assertsUserinfo: false,
    skewSeconds: 0,
    isTold: false,
    asserted: noRoles,
    project: { organization, ...anybody },
  } satisfies OurMetadata;
}

/** What is carried along with a client that the library has read. */
export function oursOf(client: object): OurMetadata {
  return (client as { readonly ours: OurMetadata }).ours;
}

const authMethods = {
  BASIC: "client_secret_basic",
  POST: "client_secret_post",
  PRIVATE_KEY_JWT: "private_key_jwt",
  NONE: "none",
} as const;

function jwksOf(found: FoundClient, nowMs: number, assertion: unknown): JWK[] {
  const named = signersOf(found, keyIdIn(assertion), nowMs);
  // The library looks for the one that is named among others.
  const signers = named.length > 0 ? named : signersOf(found, undefined, nowMs);
  return signers.map(([kid, { publicKey }]) => ({ ...publicKey, kid, use: "sig", alg: "RS256" }));
}

/** The response types of OAuth that the application may ask for: each with the grant it needs. */
function responseTypesOf({ responseTypes, grantTypes }: OIDCSettings): ResponseType[] {
  const code = responseTypes.includes("CODE") && grantTypes.includes("AUTHORIZATION_CODE");
  const implicit = grantTypes.includes("IMPLICIT");
  const idToken = implicit && responseTypes.includes("ID_TOKEN");
  const token = implicit && responseTypes.includes("ID_TOKEN_TOKEN");
  return [
    ...when(code, ["code"]),
    ...when(idToken, ["id_token"]),
    ...when(token, ["id_token token"]),
    ...when(code && idToken, ["code id_token"]),
    ...when(code && token, ["code token", "code id_token token"]),
  ];
}

/** Every response type that is offered to some application. */
export const responseTypes = [
  "code",
  "id_token",
  "id_token token",
  "code id_token",
  "code token",
  "code id_token token",
] as const;

type ResponseType = (typeof responseTypes)[number];

function when(condition: boolean, types: readonly ResponseType[]): readonly ResponseType[] {
  return condition ? types : [];
}

/** The origins of browsers whose scripts may call in the name of the application. */
export function originsOf({ redirectUris, additionalOrigins }: OIDCSettings): readonly string[] {
  const own = redirectUris.map((uri) => URL.parse(uri)?.origin ?? "null");
  return [...own, ...additionalOrigins].filter((origin) => origin !== "null");
}
