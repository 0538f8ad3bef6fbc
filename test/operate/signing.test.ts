import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "../start/command.ts";
import { inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

/** The algorithms of the keys that a service publishes, which serves while this asks. */
async function publishedBy(flags: readonly string[], environment = {}): Promise<readonly string[]> {
  const service = await start([...flags, "--port=0"], environment);
  try {
    const response = await fetch(`${service.url}/oauth/v2/keys`);
    const { keys } = (await response.json()) as { readonly keys: readonly { alg: string }[] };
    return keys.map(({ alg }) => alg);
  } finally {
    await service.close();
  }
}

async function rotates(flags: readonly string[], environment = {}): Promise<void> {
  const rotate = (...args: string[]) => run(["signing", "rotate", ...args, ...flags], environment);
  expect(await publishedBy(flags, environment)).toEqual(["RS256"]);
  const added = await rotate("--algorithm", "ES256");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(/^Added the key \S+ \(ES256\), which signs from 20\S+Z\.\n$/);
  // The keys that seal are others: what they sealed stays open.
  expect(await publishedBy(flags, environment)).toEqual(["RS256", "ES256"]);
  expect(await rotate("--now")).toMatchObject({ code: 0, stderr: "" });
  expect(await publishedBy(flags, environment)).toEqual(["RS256"]);
  const verified = await run(["verify", ...flags], environment);
  expect(verified).toMatchObject({ code: 0, stderr: "" });
}

test("a key is added beside those that sign, or in place of all", () =>
  inDirectory((directory) => rotates([`--data-dir=${join(directory, "data")}`])));

describeOnPostgres("in a database", () => {
  test("the same is done", () =>
    inDatabasePlace((place) => rotates(place.flagsOf("a"), place.environment)));
});

test("what is no rotation is refused, and nothing is written where there is no log", () =>
  inDirectory(async (directory) => {
    const flag = `--data-dir=${join(directory, "data")}`;
    for (const [args, told] of [
      [["retire", flag], "signing needs rotate: see --help\n"],
      [[flag], "signing needs rotate: see --help\n"],
      [["rotate", flag], /^There is no event log /],
    ] as const) {
      const { code, stderr } = await run(["signing", ...args]);
      expect([code, stderr]).toEqual([
        1,
        typeof told === "string" ? told : expect.stringMatching(told),
      ]);
    }
  }));
