import { expect, test } from "@jest/globals";
import {
  commaIn,
  dayIn,
  directionOf,
  isolateIn,
  languageOfLocales,
  languageOfTag,
  languages,
  pluralIn,
  timeIn,
} from "../../src/text/language.ts";

test.each([
  ["en", "en"],
  ["de", "de"],
  ["fr", "fr"],
  ["es", "es"],
  ["it", "it"],
  ["ja", "ja"],
  ["ja-JP", "ja"],
  ["ar", "ar"],
  ["ar-EG", "ar"],
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
  ["pt fr-CA de", "fr"],
  ["pt ar-MA ja", "ar"],
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
  ["ja", "2026年11月27日"],
  ["ar", "27 نوفمبر 2026"],
] as const)("in %s a day is %j, and has 24 hours", (language, day) => {
  const ms = Date.UTC(2026, 10, 27, 20, 29);
  expect(dayIn(language, ms)).toBe(day);
  expect(timeIn(language, ms)).toMatch(new RegExp(`^${day}.* 20:29$`));
});

test("Arabic alone is written from right to left", () => {
  expect(languages.filter((language) => directionOf(language) === "rtl")).toEqual(["ar"]);
});

test("a text is set apart where the words around it run the other way", () => {
  expect([isolateIn("en", "ACME"), isolateIn("ar", "ACME")]).toEqual(["ACME", "\u2068ACME\u2069"]);
});

test.each([
  ["en", ", "],
  ["it", ", "],
  ["ja", "、"],
  ["ar", "، "],
] as const)("in %s a list has %j between its parts", (language, comma) => {
  expect(commaIn(language)).toBe(comma);
});

test.each([
  [0, "zero"],
  [1, "one"],
  [2, "two"],
  [3, "few"],
  [10, "few"],
  [11, "many"],
  [99, "many"],
  [100, "other"],
  [103, "few"],
  [256, "many"],
])("in Arabic the form for %i is %s", (count, form) => {
  const [zero, one, two] = ["zero", "one", "two"];
  const [few, many, other] = ["few", "many", "other"];
  expect(pluralIn("ar", count, { zero, one, two, few, many, other })).toBe(form);
});

test("a form that a language does not have is the one of all others", () => {
  expect([pluralIn("ja", 1, { other: "文字" }), pluralIn("ar", 1, { other: "حرف" })]).toEqual([
    ...["文字", "حرف"],
  ]);
});
