import { expect, test } from "@jest/globals";
import { acceptLimits, prefersPage, takesGzip } from "../../src/text/accept.ts";
import { languageOf } from "../../src/text/accept-language.ts";

/** A header of so many characters that ends with a word, behind one that nobody knows. */
const endingWith = (word: string, characters: number) =>
  `${"a/".padEnd(characters - word.length - 1, "b")},${word}`;

test.each([
  ["a page", () => true, (header: string) => prefersPage(header), "text/html"],
  ["gzip", () => true, (header: string) => takesGzip(header), "gzip"],
  ["a language", () => "de", (header: string) => languageOf(header), "de"],
])("headers that take long to read: %s at the end of as much as is read", (...row) => {
  const [, known, read, word] = row;
  const { characters } = acceptLimits;
  expect(read(endingWith(word, characters))).toBe(known());
  expect(read(endingWith(word, characters + 1))).not.toBe(known());
});
