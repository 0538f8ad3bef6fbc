import { expect, test } from "@jest/globals";
import { createStandings, type Standings } from "../../src/actions/standing.ts";

/** Which organizations are prompt, and which are slow, by what their runs took. */

const limits = { debtMs: 1_000, debtMostMs: 10_000, partMs: 100, organizations: 2 };
let nowMs = 0;
const made = () => createStandings(limits, () => nowMs);
const stands = (standings: Standings, organization = "a") => [
  standings.isPrompt(organization),
  standings.isSlow(organization),
];
const [prompt, slow, unknown] = [
  [true, false],
  [false, true],
  [false, false],
];

test("one of which nothing is known is neither", () => {
  expect(stands(made())).toEqual(unknown);
});

test("it is prompt with debtMs, and slow with more", () => {
  const standings = made();
  standings.note("a", 600);
  expect(stands(standings)).toEqual(prompt);
  standings.note("a", 400);
  expect(stands(standings)).toEqual(prompt);
  standings.note("a", 1);
  expect(stands(standings)).toEqual(slow);
  expect(stands(standings, "b")).toEqual(unknown);
});

test("it pays off partMs in each second, and has no credit", () => {
  const standings = made();
  standings.note("a", 1_200);
  nowMs += 1_999;
  expect(stands(standings)).toEqual(slow);
  nowMs += 1;
  expect(stands(standings)).toEqual(prompt);
  nowMs += 3_600_000;
  standings.note("a", 1_001);
  expect(stands(standings)).toEqual(slow);
});

test("a debt grows to debtMostMs, and is paid off after a while", () => {
  const standings = made();
  standings.note("a", 3_600_000);
  nowMs += 89_999;
  expect(stands(standings)).toEqual(slow);
  nowMs += 1;
  expect(stands(standings)).toEqual(prompt);
});

test("so many organizations are remembered: those that ran something last", () => {
  const standings = made();
  for (const organization of ["a", "b"]) standings.note(organization, 2_000);
  expect(["a", "b"].map((one) => standings.isSlow(one))).toEqual([true, true]);
  standings.note("a", 1);
  standings.note("c", 1);
  expect(["a", "b", "c"].map((one) => stands(standings, one))).toEqual([slow, unknown, prompt]);
});
