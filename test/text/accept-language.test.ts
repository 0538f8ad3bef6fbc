import { describe, expect, test } from "@jest/globals";
import { languageOf } from "../../src/text/accept-language.ts";
import { languages } from "../../src/text/language.ts";
import { fc } from "../harness/laws.ts";

describe("the language of an answer", () => {
  test.each([
    ["", "en"],
    ["de", "de"],
    ["fr", "fr"],
    ["es", "es"],
    ["it", "it"],
    ["ja", "ja"],
    ["ja-JP", "ja"],
    ["ar", "ar"],
    ["ar-SA, en;q=0.5", "ar"],
    ["en", "en"],
    ["DE", "de"],
    ["de-CH", "de"],
    ["de-AT, en;q=0.9", "de"],
    ["fr-CA;q=0.5, it;q=0.9", "it"],
    ["fr;q=0.5, es;q=0.5", "fr"],
    ["pt", "en"],
    ["pt, ko;q=0.9", "en"],
    ["pt, it;q=0.1", "it"],
    ["ko, ja;q=0.9, ar;q=0.8", "ja"],
    ["*", "en"],
    ["*, de;q=0.5", "en"],
    ["de;q=0", "en"],
    ["en;q=0, *", "de"],
    ["de;q=2", "de"],
    [";;;,,,q=1", "en"],
    ["__proto__", "en"],
    ["constructor, toString", "en"],
  ])("for %j is %s", (header, language) => {
    expect(languageOf(header)).toBe(language);
  });

  test("is one that the service speaks, whatever is asked for", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (header) => {
        expect(languages).toContain(languageOf(header));
      }),
    );
  });
});
