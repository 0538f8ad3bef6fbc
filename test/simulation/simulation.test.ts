import { expect, test } from "@jest/globals";
import { isFull, shortened } from "../harness/extent.ts";
import { edited } from "../harness/plant.ts";
import { simulatePlanted } from "./planting.ts";
import { plants } from "./plants.ts";
import { simulate } from "./run.ts";

/** What "make simulate" does ten thousand times. */

const seeds = isFull ? 2_000 : 15;
/** In full a busy machine takes its time. */
const longMs = 30 * 60_000;

test(
  `${seeds} simulations find nothing wrong`,
  async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { problems } = await simulate(seed);
      for (const problem of problems) found.push(`--seed ${seed}: ${problem}`);
    }
    expect(found).toEqual([]);
  },
  longMs,
);

test("the same seed has the same things happen in the same order", async () => {
  for (const seed of shortened([1, 2, 3])) {
    const [one, other] = [await simulate(seed, true), await simulate(seed, true)];
    expect(one.trace.length).toBeGreaterThan(20);
    expect(other).toEqual(one);
  }
  expect((await simulate(1, true)).trace).not.toEqual((await simulate(2, true)).trace);
});

test.each(plants.map((mistake) => [mistake.name, mistake] as const))(
  "the program still can plant: %s",
  async (_name, mistake) => {
    expect((await edited(mistake)).size).toBeGreaterThan(0);
  },
);

test.each(shortened(plants).map((mistake) => [mistake.name, mistake] as const))(
  "it is found where %s",
  async (_name, mistake) => {
    expect(await simulatePlanted(mistake)).toMatchObject({ seed: expect.any(Number) });
  },
  longMs,
);
