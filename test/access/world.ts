import type { OutgoingHttpHeaders } from "node:http";
import { v7 } from "uuid";
import type { Membership, Role, Scope } from "../../src/domain/permission.ts";
import {
  givenOrganization,
  givenProject,
  givenUser,
  startServer,
  type TestServer,
  type TestServerOptions,
} from "../harness/server.ts";
import { createHttp, type Http } from "./http.ts";
import type { HeaderKind, Place } from "./matrix.ts";

/** Two organizations with projects and users, and a way to call the server that has them. */
export interface AccessWorld {
  readonly server: TestServer;
  readonly http: Http;
  readonly organizations: { readonly [name in "own" | "foreign"]: string };
  readonly projects: { readonly [name in "own-1" | "own-2" | "foreign-1" | "unknown"]: string };
  /** A user of the organization `own` that holds the role there, with a token. */
  givenCaller(role: Role | "no role", place: Place): Promise<GivenUser>;
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
    givenCaller: (role, place) => {
      const memberships: readonly Membership[] =
        role === "no role" || place === "nowhere" ? [] : [{ scope: scopes[place], roles: [role] }];
      return givenUser(server, own, memberships);
    },
    scopeOf: (place) => scopes[place],
    close: async () => {
      http.close();
      await server.close();
    },
  };
}

export function organizationHeaders(
  { own, foreign }: AccessWorld["organizations"],
  sent: HeaderKind,
): OutgoingHttpHeaders {
  const values = { own, foreign, unknown: v7(), empty: "", absent: undefined, twice: [own, own] };
  const value = values[sent];
  return value === undefined ? {} : { "x-service-orgid": value };
}
