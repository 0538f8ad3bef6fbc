import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";

const memory = pathToFileURL(join(import.meta.dirname, "../../src/start/memory.ts")).href;

// In a process of its own, whose heap is small and whose flags are its own.
const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { Script } from "node:vm";
  import { giveBackMemory } from ${JSON.stringify(memory)};
  const roomForNew = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size;
  const cachedData = new Script("1 + 1").createCachedData();
  const kept = [];
  while (roomForNew() < 16 * 2 ** 20) kept.push({});
  giveBackMemory();
  const { cachedDataRejected } = new Script("1 + 1", { cachedData });
  const isExposed = "gc" in globalThis;
  process.stdout.write(JSON.stringify({ room: roomForNew(), cachedDataRejected, isExposed }));`;

test("a start gives back the room for new objects, and what was compiled before stays good", () => {
  const args = ["--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  const { room, ...flags } = JSON.parse(stdout) as { room: number };
  expect(room).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(flags).toEqual({ cachedDataRejected: false, isExposed: false });
});
