import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { languageViolations, readPhoneNumber } from "../../src/api/user/contact.ts";

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
  // With every example of RFC 5646, appendix A, that is well-formed.
  test.each(
    [
      ["nothing", ""],
      ["a language", "de fr ja und DE abcd abcdefgh"],
      ["a script", "zh-Hant zh-Hans-CN sr-Latn-RS zh-Hant-TW"],
      ["an extended language", "zh-yue zh-cmn zh-gan ar-aao zh-cmn-Hans-CN zh-min-nan"],
      ["a region", "de-DE es-419 en-US sgn-BE"],
      ["a variant", "sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 hy-Latn-IT-arevela de-1996"],
      ["a private part", "de-CH-x-phonebk az-Arab-x-AZE-derbend x-whatever x-a x-1-abcdefgh"],
      ["an extension", "en-US-u-islamcal en-a-myext-b-another zh-CN-a-myext-x-private"],
      ["an irregular one", "i-klingon i-default I-HAK en-GB-oed en-gb-OED sgn-BE-FR sgn-CH-DE"],
      ["a regular one of old", "art-lojban cel-gaulish zh-guoyu zh-hakka zh-min zh-xiang"],
    ].flatMap(([what, tags = ""]) => tags.split(" ").map((tag) => [what, tag] as const)),
  )("with %s: %s", (_, tag) => {
    expect(languageViolations("language", tag)).toEqual([]);
  });

  test.each(
    [
      "d e1 abcdefghi - de- -de de--CH de_CH * дe dſ \u212Ak",
      "a-DE a-b-c de-a de-a-b de-CH-x x x- x-abcdefghi i-unknown en-GB-oedx sgn-BE-XX",
      "zh-abc-def-ghi-jkl de-DE-1 de-1234567890",
    ]
      .flatMap((tags) => tags.split(" "))
      .concat("de CH", " de", "de ", "de\n"),
  )("%j is none", (tag) => {
    expect(languageViolations("language", tag)).toEqual([
      { field: "language", description: "must be a BCP 47 language tag such as de or de-CH" },
    ]);
  });

  test("is never thrown at", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 10 }), (tag) => {
        expect(languageViolations("language", tag).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
