import { expect, test } from "@jest/globals";
import { guessLimits } from "../../src/provider/login/guesses.ts";
import { createRecent } from "../../src/provider/login/recent.ts";

const windowMs = 1_000;
let nowMs = 0;
const recentOf = (keysMax: number) => createRecent({ windowMs, keysMax, now: () => nowMs });

test("a key is counted from its first on for as long as the window, and not longer", () => {
  const recent = recentOf(2);
  const times = (key: string) => recent.count(key).times;
  expect([times("a"), times("a"), times("b")]).toEqual([1, 2, 1]);
  nowMs += windowMs - 1;
  expect(times("a")).toBe(3);
  nowMs += 1;
  expect([times("a"), times("a"), times("b")]).toEqual([1, 2, 1]);
});

test("what is taken back counts no more, of its own window alone", () => {
  const recent = recentOf(1);
  const [first, second] = [recent.count("a"), recent.count("a")];
  first.takeBack();
  expect(recent.count("a").times).toBe(2);
  nowMs += windowMs;
  expect(recent.count("a").times).toBe(1);
  second.takeBack();
  expect(recent.count("a").times).toBe(2);
});

test("so many keys are remembered, and not one more: the first is forgotten", () => {
  const keysMax = guessLimits.remembered;
  const recent = recentOf(keysMax);
  for (let key = 0; key < keysMax; key += 1) recent.count(`${key}`);
  expect(recent.count("0").times).toBe(2);
  recent.count("one more");
  expect([recent.count("1").times, recent.count("0").times]).toEqual([2, 1]);
});

test("a key of which all was taken back takes no place", () => {
  const recent = recentOf(2);
  recent.count("a");
  recent.count("b").takeBack();
  recent.count("c");
  expect(recent.count("a").times).toBe(2);
});
