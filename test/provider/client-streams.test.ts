import { expect, test } from "@jest/globals";
import { clientStreamsMax, createClientStreams } from "../../src/provider/base/client-streams.ts";

test("places are found once, as many as are remembered and not one more", async () => {
  const asked: string[] = [];
  const times = { createdMs: 0, changedMs: 0, position: 1n };
  const places = createClientStreams(
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
