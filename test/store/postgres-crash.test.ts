import { afterEach, expect, test } from "@jest/globals";
import { databaseKinds, type Job, runJob } from "../crash/jobs.ts";
import { loginMoments } from "../crash/logins.ts";
import { postgresPlants } from "../crash/postgres/plants.ts";
import { isFull, patience } from "../harness/extent.ts";
import { edited } from "../harness/plant.ts";
import { endProcesses, inDirectory } from "../harness/process.ts";
import { describeOnPostgres } from "./postgres-place.ts";

/** What "make crash" does for minutes with several nodes on one server. */

afterEach(endProcesses);

const longMs = 300_000 * patience;
/** One that shows what others do, too. */
const kinds: readonly Job["kind"][] = isFull ? databaseKinds : ["server"];
const roundsInFull = {
  ...{ nodes: 5, service: 5, server: 5, connections: 5, greetings: 3 },
  logins: loginMoments,
  "role-removals": 2,
};
const rounds: { readonly [kind in Job["kind"]]?: number } = isFull ? roundsInFull : {};

test.each(postgresPlants.map((fault) => [fault.name, fault] as const))(
  "the program still can plant: %s",
  async (_name, fault) => {
    expect((await edited(fault)).size).toBeGreaterThan(0);
  },
);

describeOnPostgres("several nodes on one server", () => {
  test.each(kinds)(
    "lose nothing that was acknowledged, do nothing twice and skip nothing: %s",
    async (kind) => {
      const numbers = Array.from({ length: rounds[kind] ?? 1 }, (_, number) => number);
      const result = await inDirectory((directory) =>
        runJob({
          ...{ kind, seed: 1, numbers, directory, imageDirectory: directory },
          ...{ compiler: "", runs: 0, answers: 0, onPostgres: true, holders: 1_200 },
        }),
      );
      expect(result).toMatchObject({ done: numbers.length, problems: [], kept: undefined });
      expect(result.acknowledged).toBeGreaterThan(0);
      expect(result.forgiven > 0).toBe(kind === "asynchronous");
    },
    longMs,
  );
});
