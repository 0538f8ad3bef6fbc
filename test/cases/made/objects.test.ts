import { fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import {
  aMemberOfAll,
  anAction,
  anAppWithKey,
  aProject,
  aProvider,
  aUser,
  type Given,
  type RequestIds,
} from "../../access/given.ts";
import { aGroup } from "../../access/given-groups.ts";
import { type ObjectKind, objectsOf } from "../../access/objects.ts";
import { type Case, runCases, type World } from "../../harness/cases.ts";
import { givenOrganization, givenProject } from "../../harness/server.ts";
import { someClients } from "../given.ts";
import { guarded, noIds } from "./requests.ts";

// Rows that the access tables make, for every id in a request: what is not there and what another
// organization has are refused alike, and all that comes before them in the request is there.

/** How objects are made, and which id of the request they have. */
const makers: { readonly [kind in ObjectKind]?: readonly [keyof RequestIds, Given] } = {
  project: ["project", aProject],
  joinedProject: ["project", aProject],
  app: ["app", anAppWithKey],
  key: ["key", anAppWithKey],
  user: ["user", aUser],
  member: ["user", aUser],
  person: ["user", aUser],
  joined: ["user", aMemberOfAll],
  token: ["token", aUser],
  idp: ["idp", aProvider],
  anyIDP: ["idp", aProvider],
  usableIDP: ["idp", aProvider],
  ownIDP: ["idp", aProvider],
  action: ["action", anAction],
  group: ["group", aGroup],
};

/** The ids of an object of each kind, in an organization and a project. */
async function idsIn(
  { server }: World,
  organization: string,
  project: string,
  kinds: readonly ObjectKind[],
): Promise<RequestIds> {
  const maker = { server, givenPerson: () => Promise.reject(new Error("persons are not made")) };
  const place = { organization, target: organization, project, isServing: false };
  const ids: RequestIds = { project };
  for (const kind of kinds) {
    if (kind !== "project") Object.assign(ids, await makers[kind]?.[1](maker, place));
  }
  return ids;
}

runCases(
  "objects",
  guarded.flatMap(({ method, operation: { objects, request } }) =>
    objects.flatMap((kind, index) =>
      ["unknown", "foreign", "of another"].flatMap((object): Case | readonly Case[] => {
        const outcome = objectsOf(kind, "instance", "own")[
          kind === "project" && object === "foreign" ? "foreign-1" : object
        ];
        if (outcome === undefined || outcome === "OK") return [];
        const [code, reason] = outcome.split(" ") as [string, string];
        const name = makers[kind]![0];
        return {
          name: `${method.name} refuses a ${kind}, ${object}`,
          method,
          only: someClients,
          async run(world) {
            const { organization } = world.server.admin;
            const ids = await idsIn(world, organization, world.project, objects.slice(0, index));
            const other =
              object === "of another" ? organization : await givenOrganization(world.server);
            const elsewhere = await givenProject(world.server, other);
            const theirs = await idsIn(world, other, elsewhere, [kind]);
            const id = object === "unknown" ? world.unique : theirs[name];
            return {
              request: fromJson(
                method.input,
                request({ ...noIds, ...ids, [name]: id }) as JsonValue,
              ) as Message,
              expected: { code: Number(code), reason },
            };
          },
        };
      }),
    ),
  ),
);
