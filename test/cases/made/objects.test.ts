import { fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { objectsOf } from "../../access/objects.ts";
import { type Case, runCases } from "../../harness/cases.ts";
import { givenOrganization, givenProject } from "../../harness/server.ts";
import { someClients } from "../given.ts";
import { guarded, idsIn, makers, noIds } from "./requests.ts";

// Rows that the access tables make, for every id in a request: what is not there and what another
// organization has are refused alike, and all that comes before them in the request is there.

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
