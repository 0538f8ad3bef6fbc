import { hash } from "@node-rs/argon2";
import { ownArgon2 } from "../../src/secrets/passwords/argon2.ts";

/** Who proves itself by an id and a secret. */
export interface Proof {
  readonly id: string;
  readonly secret: string;
}

/** A server of OpenID Connect, and who is known there. */
export interface Parties {
  readonly port: number;
  /** The applications that people log in to, the second for those who are given JWTs. */
  readonly app: Proof;
  readonly jwtApp: Proof | undefined;
  /** Who asks what tokens stand for. */
  readonly api: Proof;
  /** Who gets tokens for itself. */
  readonly machine: Proof;
  /** A provider elsewhere to which the people are linked, and the id that it has here. */
  readonly elsewhere?: { readonly port: number; readonly idpId: string };
}

/** The paths of both servers. */
export const paths = {
  authorization: "/oauth/v2/authorize",
  token: "/oauth/v2/token",
  introspection: "/oauth/v2/introspect",
  userinfo: "/oidc/v1/userinfo",
} as const;

/** Requests, and logins, that are under way at once. */
export const inFlight = 64;

/** The people at both servers: so many that nobody logs in twice at once. */
export const people: readonly string[] = Array.from(
  { length: 2 * inFlight },
  (_, i) => `person ${i}`,
);

export const password = "correct horse battery staple";

/** A hash of it, as the service makes them. */
export function hashPassword(): Promise<string> {
  // 2 is Argon2id among the package's numbers, which exist for the type checker only.
  return hash(password, { ...ownArgon2, algorithm: 2 });
}

/** Where people are sent back to. */
export const callback = "https://app.example.com/callback";

/** What a header says of who proves itself. */
export function basicOf({ id, secret }: Proof): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}
