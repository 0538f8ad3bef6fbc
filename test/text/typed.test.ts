import { expect, test } from "@jest/globals";
import { inPlain, readCode } from "../../src/text/typed.ts";

test.each([
  ["as it is shown", "044404"],
  ["in two groups", "044 404"],
  ["in full width", "０４４４０４"],
  ["in Arabic digits", "٠٤٤٤٠٤"],
  ["in Persian digits", "۰۴۴۴۰۴"],
  ["in Devanagari", "०४४४०४"],
  ["with a no-break space", "044\u00a0404"],
  ["with a no-break hyphen", "044\u2011404"],
  ["between marks that show nothing", "\u202a044404\u202c\u200b"],
])("a code is read %s", (_how, typed) => {
  expect(readCode(typed)).toBe("044404");
});

test("the digits of all scripts have their values", () => {
  // Of each script the ten digits are given one after the other: those of the first two planes.
  const all = Array.from({ length: 0x2_0000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((one) => /\p{Nd}/u.test(one));
  expect(all.length).toBeGreaterThan(600);
  expect(inPlain(all.join(""))).toBe("0123456789".repeat(all.length / 10));
});

test("other characters stay as they are", () => {
  expect(inPlain("+41 (44) 668-18.00")).toBe("+41 (44) 668-18.00");
  expect(inPlain("\u202a+41\u00a044\u2011668\u202c")).toBe("+41 44-668");
  expect(readCode("BCDF-ghjk")).toBe("BCDFghjk");
});
