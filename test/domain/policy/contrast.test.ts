import { describe, expect, test } from "@jest/globals";
import {
  contrastMin,
  contrastOf,
  isColour,
  isReadable,
  nearestReadable,
  textOn,
} from "../../../src/domain/policy/contrast.ts";
import { fc } from "../../harness/laws.ts";

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("the contrast of two colours", () => {
  // Values of the checker of WebAIM.
  test.each([
    ["#000000", "#ffffff", 21],
    ["#ffffff", "#ffffff", 1],
    ["#777777", "#ffffff", 4.48],
    ["#767676", "#ffffff", 4.54],
    ["#ff0000", "#ffffff", 4],
    ["#1f5fbf", "#ffffff", 6.05],
  ])("%s and %s have %d", (a, b, expected) => {
    expect(contrastOf(a, b)).toBeCloseTo(expected, 1);
    expect(contrastOf(b, a)).toBe(contrastOf(a, b));
  });

  test("text is readable from 4.5 on, and not below", () => {
    expect([isReadable("#767676", "#ffffff"), isReadable("#777777", "#ffffff")]).toEqual([
      true,
      false,
    ]);
    expect(contrastMin).toBe(4.5);
  });
});

test.each(["#1f5fbf", "#ABCDEF"])("%s is a colour", (text) => expect(isColour(text)).toBe(true));
test.each(["", "1f5fbf", "#1f5fb", "#1f5fbff", "#1f5fbg", "red", "#1f5fbf\n", " #1f5fbf"])(
  "%j is none",
  (text) => expect(isColour(text)).toBe(false),
);

describe("the nearest colour that can be read", () => {
  test("can be read on whatever ground", () => {
    fc.assert(
      fc.property(colours, colours, (text, ground) => {
        expect(isReadable(nearestReadable(text, ground), ground)).toBe(true);
      }),
    );
  });

  test("is the same colour where that can be read", () => {
    fc.assert(
      fc.property(colours, colours, (text, ground) => {
        fc.pre(isReadable(text, ground));
        expect(nearestReadable(text, ground)).toBe(text);
      }),
    );
  });

  test.each([
    ["#777777", "#ffffff", "#767676"],
    ["#ff0000", "#ffffff", "#ee0000"],
    ["#777777", "#888888", "#212121"],
  ])("%s on %s becomes %s", (text, ground, expected) => {
    expect(nearestReadable(text, ground)).toBe(expected);
  });
});

test("text on any ground can be read", () => {
  fc.assert(
    fc.property(colours, (ground) => expect(isReadable(textOn(ground), ground)).toBe(true)),
  );
  expect([textOn("#ffffff"), textOn("#000000"), textOn("#1f5fbf"), textOn("#9cc2ff")]).toEqual([
    "#000000",
    "#ffffff",
    "#ffffff",
    "#000000",
  ]);
});
