import { afterEach, expect, test } from "@jest/globals";
import { type Job, runJob } from "../crash/jobs.ts";
import { loginMoments } from "../crash/logins.ts";
import { plants } from "../crash/plants.ts";
import { isFull, patience } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { inMemory } from "../harness/memory.ts";
import { edited } from "../harness/plant.ts";
import { endProcesses, inDirectory } from "../harness/process.ts";
import { compiler, describeOnDisk } from "./describe.ts";

/** What "make crash" does hundreds of times. */

afterEach(endProcesses);

/** In full a busy machine takes its time. */
const longMs = 300_000 * patience;
const numbers = Array.from({ length: isFull ? 5 : 1 }, (_, number) => number);

function run(kind: Job["kind"], options: Partial<Job> = {}) {
  return inDirectory((directory) =>
    runJob({
      ...{ kind, seed: 1, numbers, compiler, directory },
      ...{ imageDirectory: inMemory(), runs: isFull ? 2 : 1, answers: isFull ? 100 : 10 },
      ...options,
    }),
  );
}

/** Of these, test/start/first-start shows one in short. */
const nothing = { done: numbers.length, problems: [], kept: undefined };

test.each(plants.map((fault) => [fault.name, fault] as const))(
  "the program still can plant: %s",
  async (_name, fault) => {
    expect((await edited(fault)).size).toBeGreaterThan(0);
  },
);

inFull(
  "no code or token works twice and none is lost when the service is killed in a login",
  async () => {
    // In and behind every step.
    const moments = Array.from({ length: loginMoments }, (_, moment) => moment);
    const result = await run("logins", { numbers: moments });
    expect(result).toMatchObject({ ...nothing, done: moments.length });
    expect(result.acknowledged).toBeGreaterThanOrEqual(moments.length);
  },
  longMs,
);

inFull(
  "a person is erased wholly or not at all when the service is killed",
  async () => {
    const rounds = Array.from({ length: 8 }, (_, number) => number);
    expect(await run("erasures", { numbers: rounds })).toMatchObject({
      ...nothing,
      done: rounds.length,
    });
  },
  longMs,
);

inFull(
  "an organization goes in the end when the service is killed in its removal",
  async () => {
    expect(await run("removals", { numbers: [0] })).toMatchObject({ ...nothing, done: 1 });
  },
  longMs,
);

inFull(
  "a role goes with all its grants when the service is killed in its removal",
  async () => {
    const result = await run("role-removals", { numbers: [0, 1], holders: 1_200 });
    expect(result).toMatchObject({ ...nothing, done: 2 });
  },
  longMs,
);

inFull(
  "nothing that was acknowledged is lost when the service is killed",
  async () => {
    expect(await run("kills")).toMatchObject(nothing);
  },
  longMs,
);

describeOnDisk("a person is erased wholly or not at all", () => {
  inFull(
    "when the power fails",
    async () => {
      const images = Array.from({ length: 4 }, (_, image) => image);
      const result = await run("erasure-images", { numbers: images });
      expect(result).toMatchObject({ ...nothing, done: images.length });
    },
    longMs,
  );
});

describeOnDisk("nothing that was acknowledged is lost", () => {
  inFull(
    "when the disk fails for a while",
    async () => {
      expect(await run("disk")).toMatchObject(nothing);
    },
    longMs,
  );

  test(
    "when the power fails, whatever the disk then holds",
    async () => {
      // Moments of each kind: in the first start, at a write, a name, an answer.
      const images = Array.from({ length: isFull ? 30 : 2 }, (_, image) => image);
      const result = await run("images", { numbers: images });
      expect(result).toMatchObject({ ...nothing, done: images.length });
      expect(result.acknowledged).toBeGreaterThanOrEqual(10);
    },
    longMs,
  );
});
