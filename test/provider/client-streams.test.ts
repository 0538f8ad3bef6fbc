import { expect, test } from "@jest/globals";
import { clientStreamsMax, createClientStreams } from "../../src/provider/base/client-streams.ts";
import { megabytesOf, partOfRequest } from "../harness/heap.ts";

const placesOf = (hear: (clientId: string) => void) => {
  const times = { createdMs: 0, changedMs: 0, position: 1n };
  return createClientStreams(
    {
      find: async ({ value }) => {
        hear(value);
        // A store answers a text of its own.
        return value === "none" ? undefined : structuredClone(`app-of-${value}`);
      },
    },
    {
      current: async (streams) =>
        streams.map((stream) => ({
          ...{ stream, version: 1, owner: "o", ...times },
          state: { projectId: "p" },
        })),
    },
  );
};

test("places are found once, as many as are remembered and not one more", async () => {
  const asked: string[] = [];
  const places = placesOf((clientId) => asked.push(clientId));
  const ids = Array.from({ length: clientStreamsMax + 1 }, (_, i) => `client ${i}`);
  const [first = "", second = "", last = ""] = [ids[0], ids[1], ids.at(-1)];
  for (const id of ids.slice(0, -1)) await places.of(id);
  expect(await places.of(first)).toEqual([`app-of-${first}`, "project-p"]);
  expect(asked).toHaveLength(clientStreamsMax);
  for (const id of [last, second, first]) await places.of(id);
  expect(asked.slice(clientStreamsMax)).toEqual([last, first]);
  expect([await places.of("none"), await places.of("none")]).toEqual([undefined, undefined]);
  expect(asked.filter((id) => id === "none")).toHaveLength(2);
});

test("names that keep a request: a place is remembered without the form", async () => {
  const places = placesOf(() => {});
  const kept = await megabytesOf(async () => {
    for (let i = 0; i < 100; i += 1) await places.of(partOfRequest(`client ${i} of a project`));
    return places;
  });
  expect(kept).toBeLessThan(10);
});
