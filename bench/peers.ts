import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import type { BetterAuthAnswers } from "./peers/better-auth.ts";
import {
  type Case,
  callsMax,
  measureCalls,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  serviceCase,
} from "./rates.ts";
import { jsonRequest, type Operation, placeholder } from "./requests.ts";
import type { Spread } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Pace } from "./sizes.ts";

/** What is created on both sides: our operation, and the peer's path and body. */
const kinds = {
  users: {
    operation: "ImportHumanUser hashed",
    path: "/admin/create-user",
    body: { email: `bench-${placeholder}@example.com`, name: "Ada Lovelace" },
  },
  clients: {
    operation: "AddOIDCApp",
    path: "/oauth2/create-client",
    body: {
      client_name: `bench application ${placeholder}`,
      redirect_uris: ["https://app.example.com/callback", "https://app.example.com/silent"],
      post_logout_redirect_uris: ["https://app.example.com/goodbye"],
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
  },
  providers: {
    operation: "AddOrgOIDCIDP",
    path: "/sso/register",
    body: {
      ...{ providerId: `bench-${placeholder}`, domain: "example.com" },
      issuer: "https://idp.example.com",
      oidcConfig: {
        ...{ clientId: "iam", clientSecret: "correct-horse-battery-staple", skipDiscovery: true },
        authorizationEndpoint: "https://idp.example.com/authorize",
        tokenEndpoint: "https://idp.example.com/token",
        jwksEndpoint: "https://idp.example.com/jwks",
        scopes: ["openid", "email"],
      },
    },
  },
  "users with password": {
    operation: "ImportHumanUser",
    path: "/admin/create-user",
    body: {
      ...{ email: `bench-${placeholder}@example.com`, name: "Ada Lovelace" },
      password: "correct horse battery staple",
    },
  },
} as const satisfies {
  readonly [kind: string]: {
    readonly operation: Operation;
    readonly path: string;
    readonly body: object;
  };
};

export type PeerKind = keyof typeof kinds;
export const peerKinds = Object.keys(kinds) as readonly PeerKind[];

/** What the table says of what is compared. */
export const peerNotes = [
  "Both: JSON by HTTP/1.1 from the same generator, each call authorized (a token here, the cookie of",
  "  an administrator's session there), SQLite by the same better-sqlite3, WAL, synchronous=FULL.",
  "better-auth: 1.7 behind a server of node:http, its defaults; limit of requests and log are off.",
  "users: a person with a hash that was made elsewhere here, one without a password there (plugin",
  "  admin): here a person without either is sent a mail, there nobody is.",
  "clients: an OIDC application here, a client of the plugin oauth-provider there, with a secret.",
  "providers: an OIDC provider in both, the endpoints not looked up (plugin sso). There a",
  "  registration first reads the caller's providers, at most 100; secrets are sealed here alone.",
  "users with password: Argon2id, 19 MiB, 2 passes, 1 lane, by the same library on both sides, in",
  "  as many threads as cores here, in those of libuv there; its own default is scrypt.",
  "No counterpart there: the log of events, projects, SAML and API applications, actions.",
] as const;

const inFlight = 64;

/** The names of the ratios of rates, and of the CPU time that a call takes: more is faster here. */
export const peerRatios = {
  rate: (kind: PeerKind) => `${kind} / better-auth`,
  cpu: (kind: PeerKind) => `${kind} / better-auth, by CPU`,
} as const;

/** The processes that take part. */
interface PeerProcesses {
  readonly server: Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly betterAuth: Child<BetterAuthAnswers>;
}

/** Creates the same things here and in better-auth, in turn. */
export async function measurePeers(
  { server, load, betterAuth }: PeerProcesses,
  pace: Pace,
  say: (text: string) => void,
): Promise<Rates> {
  const target = await server.ask("target");
  const { port, headers } = await betterAuth.ask("target");
  const pairs = peerKinds.map((kind) => {
    const { operation, path, body } = kinds[kind];
    const calls = { protocol: "rest", operation, inFlight } as const;
    const own = serviceCase({ server, load, target }, calls);
    const template = jsonRequest(`/api/auth${path}`, headers, body);
    const other: Case = {
      name: `${kind}, better-auth`,
      inFlight,
      measure: (each) => {
        const run = { port, template, inFlight, ...each, callsMax };
        return measureCalls({ server: betterAuth, load }, run);
      },
    };
    return { kind, own: { ...own, name: `${kind}, iam` }, other };
  });
  const cases = pairs.flatMap(({ own, other }) => [own, other]);
  const samples = await measureCases(cases, pace, say);
  const ratios = pairs.flatMap(({ kind, own, other }): [string, Spread][] => [
    [peerRatios.rate(kind), ratioOf(samples, [own, other], ({ rate }) => rate)],
    [
      peerRatios.cpu(kind),
      ratioOf(samples, [other, own], ({ cpuMicros = Number.NaN }) => cpuMicros),
    ],
  ]);
  return { rows: rowsOf(cases, samples), ratios: Object.fromEntries(ratios) };
}
