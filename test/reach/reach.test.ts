import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { patience } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { choose } from "./choose.ts";
import type { Reach } from "./reached.ts";

/** One that takes a second, if nothing else is said, and reaches functions whole. */
const reach = (file: string, names: string, cpuMs = 1_000): Reach => ({
  file,
  cpuMs,
  functions: [...names].map((name) => ({ name, missed: [] })),
});

const nothing = () => false;

test("takes first what reaches most for its time, and nothing that reaches no more", () => {
  const all = [reach("few", "ab"), reach("slow", "abcd", 5_000), reach("many", "abc")];
  expect(choose(all, 6_000, nothing)).toEqual({ files: ["many", "slow"], cpuMs: 6_000, share: 1 });
});

test("goes past no budget, but on with what still fits", () => {
  const all = [reach("a", "abc"), reach("b", "defg", 2_000), reach("c", "h")];
  expect(choose(all, 2_000, nothing)).toEqual({ files: ["a", "c"], cpuMs: 2_000, share: 4 / 8 });
});

test("takes all that is needed, with what it reaches", () => {
  const all = [reach("a", "ab"), reach("cheap", "a", 99), reach("costly", "a", 100)];
  expect(choose(all, 10_000, ({ cpuMs }) => cpuMs < 100).files).toEqual(["a", "cheap"]);
});

test("tells ranges of a function that one file runs and another does not", () => {
  const whole = (file: string, missed: readonly (readonly [number, number])[]): Reach => ({
    file,
    cpuMs: 1_000,
    functions: [{ name: "f", missed }],
  });
  const outer = whole("outer", [[10, 50]]);
  const inner = whole("inner", [[20, 30]]);
  // The first misses both ranges, the other the smaller one alone, which no file reaches.
  expect(choose([outer, inner], 1_000, nothing)).toEqual({
    files: ["inner"],
    cpuMs: 1_000,
    share: 1,
  });
  expect(choose([outer, inner, whole("all", [])], 1_000, nothing).files).toEqual(["all"]);
});

test("takes nothing of nothing", () => {
  expect(choose([], 1_000, nothing)).toEqual({ files: [], cpuMs: 0, share: 1 });
});

test("what is left out is there", () => {
  const files = readFileSync(join(import.meta.dirname, "left-out.txt"), "utf8").trimEnd();
  const root = join(import.meta.dirname, "../..");
  expect(files.split("\n").filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

const program = join(import.meta.dirname, "../reach.ts");

inFull(
  "what files of tests reach is measured",
  async () => {
    const argv = [program, "test/slots", "test/domain/role"];
    const { stdout } = await promisify(execFile)(process.execPath, argv, {
      timeout: 60_000 * patience,
    });
    expect(stdout).toMatch(/^2 of 2 files reach 100\.0 % of what all reach, in \d+ of \d+ CPU/m);
  },
  60_000 * patience,
);
