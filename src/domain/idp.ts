import type { ClaimGroup } from "../event.ts";
import type {
  ClientSettings,
  IDPConfig,
  JWTProvider,
  OIDCSettings,
  Template,
  WithSecret,
} from "./idp-config.ts";
import { foldName, rejectName } from "./name.ts";
import { mustExist, type Nothing, type Noun, streamOf, unknownEvent } from "./noun.ts";
import { type Status, withStatus } from "./status.ts";

/** An identity provider: another service that logs users in. */
export type IDPEvent =
  | {
      readonly type: "idp.config.added";
      readonly payload: IDPConfig & { readonly template?: Template };
    }
  | { readonly type: "idp.config.changed"; readonly payload: ChangedConfig }
  | { readonly type: "idp.oidc.config.added"; readonly payload: OIDCProvider }
  | { readonly type: "idp.oidc.config.changed"; readonly payload: OIDCSettings & KeptSecret }
  | {
      readonly type: "idp.jwt.config.added" | "idp.jwt.config.changed";
      readonly payload: JWTProvider;
    }
  | { readonly type: "idp.client.config.added"; readonly payload: ClientProvider }
  | { readonly type: "idp.client.config.changed"; readonly payload: ClientSettings & KeptSecret }
  | {
      readonly type: "idp.oidc.secret.sealed" | "idp.client.secret.sealed";
      readonly payload: WithSecret;
    }
  | {
      readonly type: "idp.deactivated" | "idp.reactivated" | "idp.removed";
      readonly payload: Nothing;
    };

/** What may change of the part of a provider that does not depend on its protocol. */
export type ChangedConfig = Omit<IDPConfig, "serves">;
/** The OIDC configuration of a provider. */
export type OIDCProvider = OIDCSettings & WithSecret;
/** The configuration of a provider whose addresses the template knows. */
export type ClientProvider = ClientSettings & WithSecret;
/** A change without a secret keeps the one before. Earlier events repeat it. */
type KeptSecret = Partial<WithSecret>;

/** A provider as its events leave it. */
export interface IDPState extends IDPConfig, Status {
  /** The organization that owns it. */
  readonly organization: string;
  readonly template: Template;
  /** The configuration of its protocol: one of these. */
  readonly oidc?: OIDCProvider;
  readonly jwt?: JWTProvider;
  /** Of GOOGLE, GITHUB and AZURE_AD. */
  readonly client?: ClientProvider;
}

/** The noun of identity providers. */
export const idp: Noun<IDPState, IDPEvent> = {
  kind: "idp",
  events: {
    "idp.config.added": "An identity provider was created",
    "idp.config.changed": "Its name, its button or its options were replaced",
    "idp.oidc.config.added": "It got its OIDC configuration, the client secret sealed",
    "idp.oidc.config.changed":
      "Its OIDC configuration was replaced, and the client secret if one was given",
    "idp.oidc.secret.sealed": "The client secret was sealed again with another master key",
    "idp.jwt.config.added": "It got its JWT configuration",
    "idp.jwt.config.changed": "Its JWT configuration was replaced",
    "idp.client.config.added":
      "It got the client by which its template logs users in, the client secret sealed",
    "idp.client.config.changed":
      "The client of its template was replaced, and the client secret if one was given",
    "idp.client.secret.sealed":
      "The client secret of its template was sealed again with another master key",
    "idp.deactivated": "It was deactivated",
    "idp.reactivated": "It was reactivated",
    "idp.removed": "It was removed",
  },
  secrets: ["clientSecret"],
  evolve(state, event) {
    switch (event.type) {
      case "idp.config.added":
        // Where the protocol says the template, nothing names it.
        return { template: "OIDC", ...event.payload, organization: event.owner };
      case "idp.config.changed":
        return { ...mustExist(state), ...event.payload };
      case "idp.oidc.config.added":
        return { ...mustExist(state), oidc: event.payload };
      case "idp.oidc.config.changed":
      case "idp.oidc.secret.sealed": {
        const { oidc } = mustExist(state);
        return { ...mustExist(state), oidc: { ...mustExist(oidc), ...event.payload } };
      }
      case "idp.jwt.config.added":
        return { ...mustExist(state), template: "JWT", jwt: event.payload };
      case "idp.jwt.config.changed":
        return { ...mustExist(state), jwt: event.payload };
      case "idp.client.config.added":
        return { ...mustExist(state), client: event.payload };
      case "idp.client.config.changed":
      case "idp.client.secret.sealed": {
        const { client } = mustExist(state);
        return { ...mustExist(state), client: { ...mustExist(client), ...event.payload } };
      }
      case "idp.deactivated":
        return withStatus(mustExist(state), true);
      case "idp.reactivated":
        return withStatus(mustExist(state), false);
      case "idp.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: { "idp.name": rejectName("identity provider there") },
  claims: (state) => [{ kind: "idp.name", scope: parentOf(state), value: foldName(state.name) }],
  row: (state) => ({
    parent: parentOf(state),
    fields: { name: state.name, serves: state.serves },
  }),
};

/**
 * The parent of a provider, under which its name is unique: the organization it serves, or empty.
 */
export function parentOf({ serves, organization }: IDPState): string {
  return serves === "INSTANCE" ? "" : organization;
}

/**
 * The parents under which the providers are listed that users of the organization may log in by.
 */
export function parentsFor(organization: string): readonly string[] {
  return ["", organization];
}

/** Providers, each by the name of its stream. */
export interface Providers {
  readonly [stream: `idp-${string}`]: IDPState | undefined;
}

/**
 * Whether users of the organization may be linked to the provider; without an organization, those
 * of each one.
 */
export function servesOrganization(
  state: IDPState | undefined,
  organization: string | undefined,
): boolean {
  if (state === undefined) return false;
  return state.serves === "INSTANCE" || state.organization === organization;
}

/** The place that the client secret of a provider is sealed to. */
export function secretOfIDP(idpId: string) {
  return { stream: streamOf(idp, idpId), field: "clientSecret" };
}

/** The claims that users who are linked to a provider hold. */
export function linksTo(idpId: string): ClaimGroup {
  return { kind: "user.externalidp", scope: idpId };
}
