import { describe, expect, test } from "@jest/globals";
import { languageProblem } from "../../../../src/domain/user/human/human.ts";
import { anyCharacter } from "../../../harness/characters.ts";
import { fc } from "../../../harness/laws.ts";

describe("a language", () => {
  test.each(
    [
      ["nothing", ""],
      ["a language", "de fr ja und DE yue gsw abcdefgh"],
      ["a script", "zh-Hant zh-Hans-CN sr-Latn-RS zh-Hant-TW"],
      ["a region", "de-DE es-419 en-US sgn-BE"],
      ["a variant", "sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 hy-Latn-IT-arevela de-1996"],
      ["a private part", "de-CH-x-phonebk az-Arab-x-AZE-derbend"],
      ["an extension", "en-US-u-islamcal en-a-myext-b-another zh-CN-a-myext-x-private"],
      ["a name of old", "art-lojban cel-gaulish zh-guoyu zh-hakka zh-xiang"],
    ].flatMap(([what, tags = ""]) => tags.split(" ").map((tag) => [what, tag] as const)),
  )("with %s: %s", (_, tag) => {
    expect(languageProblem(tag)).toBeUndefined();
  });

  test.each(
    [
      "d e1 abcdefghi - de- -de de--CH de_CH * дe dſ \u212Ak",
      "a-DE a-b-c de-a de-a-b de-CH-x x x- x-abcdefghi i-unknown en-GB-oedx sgn-BE-XX",
      "zh-abc-def-ghi-jkl de-DE-1 de-1234567890 de-1996-1996 abcd",
      // Well-formed (RFC 5646), but only for those who wrote them before there was a better tag.
      "zh-yue zh-cmn-Hans-CN i-klingon en-GB-oed sgn-BE-FR zh-min x-whatever",
    ]
      .flatMap((tags) => tags.split(" "))
      .concat("de CH", " de", "de ", "de\n"),
  )("%j is none", (tag) => {
    expect(languageProblem(tag)).toBe("must be a BCP 47 language tag, for example de or de-CH");
  });

  test("is never thrown at", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 10 }), (tag) => {
        expect(languageProblem(tag) ?? "must be").toMatch(/^must be/);
      }),
    );
  });
});
