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
  /** Names of people, who have all the same password. */
  readonly people: readonly string[];
}

/** The paths of both servers. */
export const paths = {
  authorization: "/oauth/v2/authorize",
  token: "/oauth/v2/token",
  introspection: "/oauth/v2/introspect",
  userinfo: "/oidc/v1/userinfo",
} as const;

export const password = "correct horse battery staple";

/** Where people are sent back to. */
export const callback = "https://app.example.com/callback";

/** What a header says of who proves itself. */
export function basicOf({ id, secret }: Proof): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}
