import { hasUnseen } from "../text/visible.ts";
import type { Problem } from "./decision.ts";

/** The organizations that a provider serves: every one, or the one that owns it. */
export type Serves = "INSTANCE" | "ORGANIZATION";
/** The look of the button that leads to a provider. */
export type StylingType = "UNSPECIFIED" | "GOOGLE";
/** The claim of an ID token that a name of the user is taken from. */
export type MappingField = "UNSPECIFIED" | "PREFERRED_USERNAME" | "EMAIL";
/** The preset that a provider was made from: it says what need not be set, see `signInOf`. */
export type Template = "OIDC" | "JWT" | "GOOGLE" | "GITHUB" | "AZURE_AD";

/** What may come of a login by somebody whom no link leads to a user yet. */
export interface ProviderOptions {
  readonly isLinkingAllowed: boolean;
  readonly isCreationAllowed: boolean;
  /** Whether a user is created without being asked. */
  readonly isAutoCreation: boolean;
  /** Whether each login brings the names of the user up to date. */
  readonly isAutoUpdate: boolean;
  /** By what a link to a user who is here already is proposed. */
  readonly autoLinking: "NONE" | "EMAIL";
}

/** The part of a provider that does not depend on its protocol. */
export interface IDPConfig {
  readonly name: string;
  readonly serves: Serves;
  readonly stylingType: StylingType;
  readonly autoRegister: boolean;
  /** Absent in earlier events, and in those of calls that have none: see `optionsOf`. */
  readonly options?: ProviderOptions;
}

/** The OIDC configuration of a provider without its secret. */
export interface OIDCSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly displayNameMapping: MappingField;
  readonly usernameMapping: MappingField;
  /** Whether the ID token says all of a user, so that userinfo is not asked; absent, it is. */
  readonly isIdTokenMapping?: boolean;
  /** Whether logins use PKCE; absent, they do. */
  readonly usesPkce?: boolean;
}

/** The configuration of a provider whose JSON Web Tokens log users in. */
export interface JWTProvider {
  readonly jwtEndpoint: string;
  readonly issuer: string;
  readonly keysEndpoint: string;
  readonly headerName: string;
}

/** What is set of a provider whose addresses the template knows, without its secret. */
export interface ClientSettings {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Of AZURE_AD: `common`, `organizations`, `consumers`, or the id of the one tenant. */
  readonly tenant?: string;
  /** Of AZURE_AD: whether an e-mail address is verified where the token's `xms_edov` says so. */
  readonly trustsEmail?: boolean;
}

/** A client secret that a provider has given out, sealed by the keyring. */
export interface WithSecret {
  readonly clientSecret: string;
}

/** The rule of a scope: they are sent in one text with spaces between them (RFC 6749, 3.3). */
export function scopeProblem(scope: string): Problem {
  return scope !== "" && !hasUnseen(scope)
    ? undefined
    : "must have visible characters only, without white space";
}

/** The rule of a header name: it is a token (RFC 9110, 5.6.2). */
export function headerNameProblem(name: string): Problem {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? undefined
    : "must be the name of an HTTP header, for example authorization";
}

/** The rule of the id of a tenant: tokens name it so, and not by a domain. */
export function tenantProblem(id: string): Problem {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
    ? undefined
    : "must be the id of the tenant, a UUID, and no domain";
}
