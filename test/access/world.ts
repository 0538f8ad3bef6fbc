import { randomBytes } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { v7 } from "uuid";
import type { Membership, Role, Scope } from "../../src/domain/permission.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { createToken, hashSecret } from "../../src/secrets/tokens.ts";
import { givenJWTProvider, givenOIDCProvider } from "../cases/idps.ts";
import {
  givenOrganization,
  givenProject,
  givenUser,
  startServer,
  type TestServer,
  type TestServerOptions,
} from "../harness/server.ts";
import { appWithKey, givenAction, givenApp } from "./given.ts";
import { givenGroup } from "./given-groups.ts";
import { createHttp, type Http } from "./http.ts";
import type { HeaderKind, Place } from "./place.ts";

/** Two organizations with projects and users, and a way to call the server that has them. */
export interface AccessWorld {
  readonly server: TestServer;
  readonly http: Http;
  readonly organizations: { readonly [name in "own" | "foreign"]: string };
  readonly projects: { readonly [name in "own-1" | "own-2" | "foreign-1" | "unknown"]: string };
  /** OIDC providers of the organizations, and one of `own` that serves the whole instance. */
  readonly idps: { readonly [name in "own" | "foreign" | "serving" | "unknown"]: string };
  /** An application of each project, its key, and an action and a group of each organization. */
  readonly apps: AccessWorld["projects"];
  readonly keys: AccessWorld["projects"];
  readonly actions: { readonly [name in "own" | "foreign" | "unknown"]: string };
  readonly groups: AccessWorld["actions"];
  /** A user of the organization `own` that holds the role there, with a token. */
  givenCaller(role: Role | "no role", place: Place): Promise<GivenUser>;
  /** A person of the organization with a token and a phone, for which `phoneCode` is pending. */
  givenPerson(organization: string, memberships?: readonly Membership[]): Promise<GivenUser>;
  scopeOf(place: Exclude<Place, "nowhere">): Scope;
  close(): Promise<void>;
}

export type GivenUser = Awaited<ReturnType<typeof givenUser>>;

export async function startWorld(options: TestServerOptions = {}): Promise<AccessWorld> {
  const server = await startServer(options);
  const http = createHttp(server.port);
  const own = await givenOrganization(server);
  const foreign = await givenOrganization(server);
  const projects = {
    "own-1": await givenProject(server, own),
    "own-2": await givenProject(server, own),
    "foreign-1": await givenProject(server, foreign),
    unknown: v7(),
  };
  const idps = {
    own: await givenOIDCProvider(server, own, { clientSecret: "secret" }),
    foreign: await givenOIDCProvider(server, foreign, { clientSecret: "secret" }),
    serving: await givenJWTProvider(server, own),
    unknown: v7(),
  };
  const keys = { "own-1": v7(), "own-2": v7(), "foreign-1": v7(), unknown: v7() };
  const appIn = (owner: string, place: "own-1" | "own-2" | "foreign-1") =>
    givenApp(server, owner, appWithKey(projects[place], keys[place]));
  const apps = {
    "own-1": await appIn(own, "own-1"),
    "own-2": await appIn(own, "own-2"),
    "foreign-1": await appIn(foreign, "foreign-1"),
    unknown: v7(),
  };
  const actions = {
    own: await givenAction(server, own),
    foreign: await givenAction(server, foreign),
    unknown: v7(),
  };
  const groups = {
    own: await givenGroup(server, own),
    foreign: await givenGroup(server, foreign),
    unknown: v7(),
  };
  const scopes: { readonly [place in Exclude<Place, "nowhere">]: Scope } = {
    instance: { level: "instance" },
    own: { level: "organization", organization: own },
    foreign: { level: "organization", organization: foreign },
    "own-1": { level: "project", organization: own, project: projects["own-1"] },
    "own-2": { level: "project", organization: own, project: projects["own-2"] },
    "foreign-1": { level: "project", organization: foreign, project: projects["foreign-1"] },
  };
  return {
    server,
    http,
    organizations: { own, foreign },
    projects,
    idps,
    apps,
    keys,
    actions,
    groups,
    givenCaller: (role, place) => {
      const memberships: readonly Membership[] =
        role === "no role" || place === "nowhere" ? [] : [{ scope: scopes[place], roles: [role] }];
      return givenUser(server, own, memberships);
    },
    givenPerson: (organization, memberships = []) => givenPerson(server, organization, memberships),
    scopeOf: (place) => scopes[place],
    close: async () => {
      http.close();
      await server.close();
    },
  };
}

/** What opens the pending code of every person here. */
export const phoneCode = "ABC234";

/** Made some time ago, because codes must not follow each other at once. */
async function givenPerson(
  { log, keyring }: TestServer,
  owner: string,
  memberships: readonly Membership[],
): Promise<GivenUser> {
  const userId = v7();
  const tokenId = v7();
  const token = createToken(randomBytes);
  const nowMs = Date.now();
  const code = keyring.seal(phoneCode, { stream: `user-${userId}`, field: "phone.code" });
  const events: readonly UserEvent[] = [
    { type: "user.human.added", payload: { ...person, userName: userId } },
    {
      type: "user.human.phone.code.added",
      payload: { code, expirationMs: nowMs + 3_600_000, send: false },
    },
    { type: "user.token.added", payload: { tokenId, tokenHash: hashSecret(token) } },
    ...memberships.map(
      (payload) => ({ type: "user.membership.granted", payload }) satisfies UserEvent,
    ),
  ];
  const outcome = await createExecute(
    log,
    () => nowMs - 60_000,
  )({
    // The token is its own: one who raises the person leaves it.
    actor: userId,
    writes: { user: { noun: user, id: userId, owner } },
    relies: {},
    decide: () => ({ events: { user: events } }),
  });
  if (outcome.kind !== "done") throw new Error(`the person was not accepted: ${outcome.kind}`);
  return { userId, token, tokenId };
}

const person = {
  firstName: "Ada",
  lastName: "Lovelace",
  nickName: "",
  displayName: "Ada Lovelace",
  preferredLanguage: "en",
  gender: "FEMALE",
  email: "ada@example.com",
  phone: "+41446681800",
  passwordChangeRequired: false,
} as const;

export function organizationHeaders(
  { own, foreign }: AccessWorld["organizations"],
  sent: HeaderKind,
): OutgoingHttpHeaders {
  const values = { own, foreign, unknown: v7(), empty: "", absent: undefined, twice: [own, own] };
  const value = values[sent];
  return value === undefined ? {} : { "x-service-orgid": value };
}
