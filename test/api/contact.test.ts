import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { languageViolations, readPhoneNumber } from "../../src/api/contact.ts";

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
  ])("%j is %s", (text, number) => {
    expect(readPhoneNumber("phone", text)).toEqual({ ok: true, number });
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
  ])("%j is none", (text) => {
    expect(readPhoneNumber("phone.phone", text)).toEqual({
      ok: false,
      violation: {
        field: "phone.phone",
        description: "must be a global phone number such as +41 44 668 18 00",
      },
    });
  });

  test("that was read is read again as itself, and nothing throws", () => {
    const character = fc.constantFrom(..."0123456789+-.() tel:;x\u0664");
    const texts = fc.string({ unit: character, maxLength: 20 }).map((rest) => `+4144${rest}`);
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ maxLength: 50, unit: "binary" })), (text) => {
        const first = readPhoneNumber("phone", text);
        const again = first.ok ? readPhoneNumber("phone", first.number) : first;
        expect(again).toEqual(first);
        expect(first.ok ? first.number : "+0").toMatch(/^\+\d{1,17}$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a language", () => {
  test.each(["", "de", "DE", "de-CH", "zh-Hant-TW", "und", "sl-rozaj", "en-US-x-a"])(
    "%j is one",
    (tag) => {
      expect(languageViolations("language", tag)).toEqual([]);
    },
  );

  test.each(["d", "de_CH", "de-", "-", "de CH", " de", "*", "x-a", "i-klingon", "e1", "дe"])(
    "%j is none",
    (tag) => {
      expect(languageViolations("language", tag)).toEqual([
        { field: "language", description: "must be a BCP 47 language tag such as de or de-CH" },
      ]);
    },
  );

  test("is never thrown at", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 10 }), (tag) => {
        expect(languageViolations("language", tag).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
