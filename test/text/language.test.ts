import { expect, test } from "@jest/globals";
import { languageOfLocales, languageOfTag } from "../../src/text/language.ts";

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

test.each([
  ["de", "de"],
  ["ja fr-CA de", "fr"],
  ["se", undefined],
  ["", undefined],
  [" , constructor", undefined],
  [undefined, undefined],
  [["de"], undefined],
])("locales of %j ask for %s", (locales, expected) => {
  expect(languageOfLocales(locales)).toBe(expected);
});
