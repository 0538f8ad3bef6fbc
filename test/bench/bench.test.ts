import { execFile } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { attackRatio } from "../../bench/action-attack.ts";
import { tokenNames } from "../../bench/action-tokens.ts";
import { loginKinds, loginRatios } from "../../bench/login/measure.ts";
import type { Machine } from "../../bench/machine.ts";
import { metricsRatios } from "../../bench/metrics.ts";
import { inFlights, operations, protocols } from "../../bench/rates.ts";
import type { Figures, Results, Row, Spread } from "../../bench/results.ts";
import { runSections, type Section } from "../../bench/sections.ts";
import { sizes } from "../../bench/sizes.ts";
import { spreadText, table } from "../../bench/table.ts";
import { patience } from "../harness/extent.ts";
import { describeInFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";

/** What measures is run at its smallest; nothing here looks at how fast anything is. */

const root = join(import.meta.dirname, "../..");
const processMs = 120_000 * patience;

/** Runs a program of the bench to its end; rejects with what it printed where that is not 0. */
async function smoke(program: string, directory: string, ...args: readonly string[]) {
  const file = join(root, "bench", program);
  const argv = [file, "--size", "smoke", "--dir", directory, ...args];
  const ended = promisify(execFile)(process.execPath, argv, { timeout: processMs });
  return await ended.catch(({ message, stdout }: Error & { readonly stdout: string }) => {
    throw new Error(`${message}\n${stdout}`);
  });
}

const aNumber = (value: number) => Number.isFinite(value) && value > 0;
const isSpread = ({ median, min, max }: Spread) => [median, min, max].every(aNumber);

describeInFull("at the smallest size", () => {
  test(
    "the bench measures each of its parts, shows them and keeps them",
    () =>
      inDirectory(async (directory) => {
        // PostgreSQL does not run as root, so another user has to get through.
        await chmod(directory, 0o711);
        const json = join(directory, "results.json");
        const { stdout, stderr } = await smoke("bench.ts", directory, "--json", json);
        const results = JSON.parse(await readFile(json, "utf8")) as Results;

        const calls = protocols.flatMap((protocol) =>
          operations.map((operation) => `${operation} ${protocol}`),
        );
        const names = results.rows.map(({ name, inFlight }) => `${name} ${inFlight}`);
        const expected = inFlights.flatMap((inFlight) =>
          calls.map((name) => `${name} ${inFlight}`),
        );
        expect(names).toEqual(expect.arrayContaining(expected));
        expect(names).toContain("AddAPIApp grpc beside imports 1");
        expect(names).toContain("GetAppByID grpc, 400 events 64");
        expect(names).toContain("AddAPIApp grpc, IAM_PROCESSES=2 64");
        expect(names).toContain("AddAPIApp grpc, without the chain 64");
        expect(names).toContain("appends to PostgreSQL, 4 processes 256");
        expect(names).toContain("AddAPIApp grpc, PostgreSQL 64");
        expect(names).toContain("one process sees what another wrote 1");
        expect(names).toContain("AddAPIApp grpc beside a backup of 400 events 1");
        expect(names).toContain("AddAPIApp grpc beside erasures 1");
        expect(names).toEqual(expect.arrayContaining(loginKinds.map((kind) => `${kind}, iam 64`)));
        expect(names).toContain("code flow, oidc-provider in memory 64");
        expect(results.ratios).toHaveProperty([loginRatios.provider]);
        for (const store of ["SQLite, empty", "SQLite, 200 grants", "PostgreSQL, 200 grants"]) {
          expect(names).toContain(`code flow, ${store} 64`);
          expect(names).toContain(`ListUserGrants by role key grpc, ${store} 1`);
          expect(Object.keys(results.startMs)).toContain(`until no grant is left, ${store}`);
        }
        expect(names).toContain(`${tokenNames.with} 1`);
        expect(names).toContain("an action that sets a claim 1");
        expect(names).toContain("AddAPIApp grpc, with metrics 64");
        expect(results.ratios).toHaveProperty([metricsRatios.records]);
        expect(names).toContain("password login beside scripts that do not end 4");
        expect(Object.keys(results.ratios)).toContain(attackRatio);
        const tools = ["back up", "restore", "verify", "rebuild"].map(
          (it) => `to ${it} 400 events`,
        );
        expect(Object.keys(results.startMs)).toEqual(expect.arrayContaining(tools));
        // What was written may be seen before its writer knows of it: that is no time at all.
        const isTaken = ({ name, rate, p99Ms }: Row) =>
          isSpread(rate) && (isSpread(p99Ms) || (name.includes("sees") && p99Ms.max === 0));
        expect(results.rows.filter((row) => !isTaken(row))).toEqual([]);
        // Where temporary files lie in memory, no disk gets anything.
        const isOnDisk = ([name]: readonly [string, Spread]) => !name.startsWith("KiB written");
        const ratios = Object.entries(results.ratios);
        expect(ratios.filter((one) => !isOnDisk(one))).toHaveLength(3);
        expect(ratios.filter(isOnDisk).filter(([, ratio]) => !isSpread(ratio))).toEqual([]);
        const theirs = names.filter((name) => name.includes("better-auth"));
        if (theirs.length === 0) expect(stdout).toContain("better-auth is left out: ");
        else expect(theirs).toHaveLength(4);
        expect(Object.keys(results.startMs)).toContain("an empty store");
        expect(Object.keys(results.startMs)).toContain("until a new revision serves 2000 events");
        expect(Object.values(results.startMs).every(isSpread)).toBe(true);
        expect(results.grown).toMatchObject([{ name: "empty" }, { name: "400 events" }]);
        const { memoryCalls } = sizes.smoke;
        expect(results.resident).toMatchObject([
          { how: "as it is", callsPerRun: 2 * memoryCalls },
          { how: "after a full collection", callsPerRun: 2 * memoryCalls },
        ]);
        for (const row of results.rows) expect(stdout).toContain(row.name);
        expect(stdout).toContain(", SMOKE: not for quoting");
        expect(stdout).toContain(`written to ${json}`);
        expect(stderr).not.toContain("Error");
      }),
    processMs,
  );

  test(
    "the profile tells what belongs to which part of a call",
    () =>
      inDirectory(async (directory) => {
        const { stdout } = await smoke("profile.ts", directory);
        for (const protocol of ["grpc", "connect"]) {
          expect(stdout).toContain(`AddAPIApp by ${protocol}, 64 in flight, 200 calls`);
          expect(stdout).toContain(join(directory, `AddAPIApp-${protocol}.cpuprofile`));
        }
      }),
    processMs,
  );

  test(
    "many users are imported and read",
    () =>
      inDirectory(async (directory) => {
        const { stdout } = await smoke("users.ts", directory);
        expect(stdout).toContain(`imported ${sizes.smoke.users} users in `);
        expect(stdout).toMatch(/^one user by id +\d+\.\d +\d+\.\d$/m);
      }),
    processMs,
  );
});

test("a spread past 15 % is marked, and the table says so", () => {
  const rowWith = (max: number) => [spreadText({ median: 100, min: 85, max })];
  expect(table(["spread"], [rowWith(115)])).toBe("spread\n-15 +15 %");
  expect(table(["spread"], [rowWith(116)])).toBe(
    "spread\n-15 +16 % !\n!  repetitions lie further apart than ±15 %",
  );
});

test("a part that fails costs the others nothing", async () => {
  const row = { name: "calls", inFlight: 1 } as Row;
  const section = (name: string, figures: Figures | Error): Section => ({
    name,
    measure: async () => {
      if (figures instanceof Error) throw figures;
      return figures;
    },
    show: () => `${name} shown`,
  });
  const nothing = { rows: [], ratios: {}, startMs: {}, resident: [], grown: [] };
  const before: Results = { machine: {} as Machine, size: "smoke", ...nothing };
  const spread = { median: 1, min: 1, max: 1 };
  const printed: string[] = [];
  const kept: Results[] = [];

  const { results, failed } = await runSections(
    [
      section("first", { rows: [row] }),
      section("second", new Error("no master key")),
      section("third", { startMs: { "an empty store": spread } }),
    ],
    before,
    {
      say: () => {},
      print: (text) => void printed.push(text),
      keep: async (so) => void kept.push(so),
    },
  );

  expect(failed).toEqual(["second"]);
  expect(printed).toEqual([
    "first shown",
    expect.stringContaining("second FAILED: Error: no master key"),
    "third shown",
  ]);
  expect(kept).toEqual([
    { ...before, rows: [row] },
    { ...before, rows: [row], startMs: { "an empty store": spread } },
  ]);
  expect(results).toEqual(kept.at(-1));
});
