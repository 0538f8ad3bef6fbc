import { expect, test } from "@jest/globals";
import { languageOfTag } from "../../src/text/language.ts";

test.each([
  ["en", "en"],
  ["de", "de"],
  ["fr", "fr"],
  ["es", "es"],
  ["it", "it"],
  ["IT", "it"],
  ["de-AT", "de"],
  ["zh-Hant-TW", "en"],
  ["de_AT", "en"],
  ["", "en"],
  ["-de", "en"],
  ["constructor", "en"],
])("who prefers %j is spoken to in %s", (tag, expected) => {
  expect(languageOfTag(tag)).toBe(expected);
});
