import { expect, test } from "@jest/globals";
import { createPlaces, placesMax } from "../../src/provider/base/places.ts";

test("places are found once, as many as are remembered and not one more", async () => {
  const asked: string[] = [];
  const times = { createdMs: 0, changedMs: 0, position: 1n };
  const places = createPlaces(
    {
      find: async ({ value }) => {
        asked.push(value);
        return value === "none" ? undefined : `app-of-${value}`;
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
  const ids = Array.from({ length: placesMax + 1 }, (_, i) => `client ${i}`);
  const [first = "", second = "", last = ""] = [ids[0], ids[1], ids.at(-1)];
  for (const id of ids.slice(0, -1)) await places.of(id);
  expect(await places.of(first)).toEqual([`app-of-${first}`, "project-p"]);
  expect(asked).toHaveLength(placesMax);
  for (const id of [last, second, first]) await places.of(id);
  expect(asked.slice(placesMax)).toEqual([last, first]);
  expect([await places.of("none"), await places.of("none")]).toEqual([undefined, undefined]);
  expect(asked.filter((id) => id === "none")).toHaveLength(2);
});
