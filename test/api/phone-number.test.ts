import { describe, expect, test } from "@jest/globals";
import { readPhoneNumber } from "../../src/api/user/phone-number.ts";
import { anyCharacter } from "../harness/characters.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";

describe("a phone number", () => {
  test.each([
    ["+41446681800", "+41446681800"],
    ["+41 44 668 18 00", "+41446681800"],
    ["tel:+41-44-668-18-00", "+41446681800"],
    ["Tel:+41.44.668.18.00", "+41446681800"],
    ["+41 (0)44 668 18 00", "+41446681800"],
    ["+(41)446681800", "+41446681800"],
    ["+-41446681800", "+41446681800"],
    ["+1 (650) 253-0000", "+16502530000"],
    ["+80012345678", "+80012345678"],
    // In Italy the zero is part of the number.
    ["+39 02 1234 5678", "+390212345678"],
  ])("%j is %s", async (text, number) => {
    expect(await readPhoneNumber(text)).toBe(number);
  });

  test.each([
    "",
    "+",
    "+()",
    "tel:",
    "0446681800",
    "0041446681800",
    "+0041446681800",
    "++41446681800",
    " +41446681800",
    "+41446681800;ext=1",
    "+41446681800x1",
    "+41446681800\n",
    "+1 555",
    "+41 1",
    "+4144668180012345",
    "+99912345678",
    "+41٤٤٦٦٨١٨٠٠",
    "tel:tel:+41446681800",
  ])("%j is none", async (text) => {
    expect(await readPhoneNumber(text)).toBeUndefined();
  });

  test("that was read is read again as itself, and nothing throws", async () => {
    const character = fc.constantFrom(..."0123456789+-.() tel:;x\u0664");
    const texts = fc.string({ unit: character, maxLength: 20 }).map((rest) => `+4144${rest}`);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(texts, fc.string({ maxLength: 50, unit: anyCharacter })),
        async (text) => {
          const first = await readPhoneNumber(text);
          expect(first === undefined ? first : await readPhoneNumber(first)).toBe(first);
          expect(first ?? "+0").toMatch(/^\+\d{1,17}$/);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
