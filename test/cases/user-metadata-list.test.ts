import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUserMetadataResponse } from "../../gen/iam/management/v1/metadata_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { metadataId } from "../../src/secrets/metadata-id.ts";
import { row, runCases } from "../harness/cases.ts";
import { eventsOf, someClients } from "./given.ts";
import { givenKeys } from "./metadata.ts";
import { granted } from "./stored.ts";

// Lists of the metadata of a user.

const { listUserMetadata } = ManagementService.method;

const byKey = (key: string, method = TextQueryMethod.EQUALS) => ({
  query: { case: "keyQuery", value: { key, method } } as const,
});

/** A row that finds some keys of a person, who is not the only one with keys. */
function finds(
  name: string,
  queries: readonly ReturnType<typeof byKey>[],
  keys: readonly string[],
) {
  return row(
    `finds ${name}`,
    listUserMetadata,
    async (world) => {
      await givenKeys(world, "plan", "Plan");
      const id = await givenKeys(world, "plan", "Plan", "planet", "team");
      return {
        request: { id, queries: [...queries] },
        expected: {
          ok({ result, details }) {
            expect(result.map(({ key }) => key)).toEqual(keys);
            expect(details?.totalResult).toBe(BigInt(keys.length));
          },
        },
      };
    },
    someClients,
  );
}

runCases("ListUserMetadata", [
  row("shows keys with values, the newest first", listUserMetadata, async (world) => {
    const { server } = world;
    const id = await givenKeys(world, "plan", "team");
    return {
      request: { id },
      expected: {
        async ok({ result, details }, events) {
          expect(events).toEqual([]);
          expect(details?.totalResult).toBe(2n);
          expect(details?.processedSequence).toBe((await server.store.head()).position);
          const shown = result.map(({ key, value }) => [key, Buffer.from(value).toString()]);
          expect(shown).toEqual([
            ["team", "team"],
            ["plan", "plan"],
          ]);
          const { sequence, creationDate } = result[0]!.details!;
          const [event] = await eventsOf(server, `metadata-${metadataId(id, "team")}`);
          expect(sequence).toBe(event?.position);
          expect(creationDate?.seconds).toBe(BigInt(Math.floor(event!.timeMs / 1_000)));
        },
      },
    };
  }),
  row("leads from page to page", listUserMetadata, async (world) => {
    const id = await givenKeys(world, "a", "b", "c");
    const first = await world.call(listUserMetadata, { id, query: { limit: 2, asc: true } });
    const { details } = granted<ListUserMetadataResponse>(first);
    const pageToken = details?.nextPageToken ?? "";
    return {
      request: { id, query: { limit: 2, asc: true, pageToken } },
      expected: {
        ok({ result, details }) {
          expect(result.map(({ key }) => key)).toEqual(["c"]);
          expect(details).toMatchObject({ totalResult: 3n, nextPageToken: "" });
        },
      },
    };
  }),
  finds("all where nothing is said", [], ["team", "planet", "Plan", "plan"]),
  finds("a key", [byKey("plan")], ["plan"]),
  finds("a key in any case", [byKey("PLAN", TextQueryMethod.EQUALS_IGNORE_CASE)], ["Plan", "plan"]),
  finds("what begins alike", [byKey("plan", TextQueryMethod.STARTS_WITH)], ["planet", "plan"]),
  finds(
    "what meets every condition",
    [byKey("plan", TextQueryMethod.STARTS_WITH), byKey("et", TextQueryMethod.ENDS_WITH)],
    ["planet"],
  ),
  finds("nothing", [byKey("none")], []),
]);
