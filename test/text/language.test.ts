import { expect, test } from "@jest/globals";
import { dayIn, languageOfLocales, languageOfTag, timeIn } from "../../src/text/language.ts";

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

test.each([
  ["en", "27 November 2026"],
  ["de", "27. November 2026"],
  ["fr", "27 novembre 2026"],
  ["es", "27 de noviembre de 2026"],
  ["it", "27 novembre 2026"],
] as const)("in %s a day is %j, and has 24 hours", (language, day) => {
  const ms = Date.UTC(2026, 10, 27, 20, 29);
  expect(dayIn(language, ms)).toBe(day);
  expect(timeIn(language, ms)).toMatch(new RegExp(`^${day}.* 20:29$`));
});
