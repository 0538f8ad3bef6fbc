import { describe, expect, test } from "@jest/globals";
import { base32, bytesOf, crockford, rfc4648 } from "../../src/secrets/base32.ts";
import { createRecoveryCode, hashRecoveryCode, opensRecovery } from "../../src/secrets/recovery.ts";
import { anyCharacter } from "../harness/characters.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";

const form = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/;
const tenBytes = fc.uint8Array({ minLength: 10, maxLength: 10 });

describe("a recovery code", () => {
  test("is all of 80 random bits, in groups without letters that are taken for others", () => {
    fc.assert(
      fc.property(tenBytes, (bytes) => {
        const code = createRecoveryCode((size) => bytes.subarray(0, size));
        expect(code).toMatch(form);
        expect(bytesOf(code.replaceAll("-", ""), crockford)).toEqual(bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  const code = "ABCD-EFGH-JKMN-0123";
  const opens = (typed: string) => opensRecovery(typed)(hashRecoveryCode(code));

  test.each([
    ["as it was shown", code],
    ["in lower case", "abcd-efgh-jkmn-0123"],
    ["without hyphens", "ABCDEFGHJKMN0123"],
    ["with spaces", " abcd efgh jkmn 0123 "],
    ["with hyphens of an editor", "ABCD\u2011EFGH\u2011JKMN\u20110123"],
    ["with no-break spaces", "ABCD\u00a0EFGH\u00a0JKMN\u00a00123"],
    ["in full width", "ＡＢＣＤＥＦＧＨＪＫＭＮ０１２３"],
    ["with letters for digits", "ABCD-EFGH-JKMN-OI23"],
    ["with others of them", "abcd-efgh-jkmn-ol23"],
  ])("is known %s", (_how, typed) => {
    expect(opens(typed)).toBe(true);
  });

  test.each([
    ["another one", "ABCD-EFGH-JKMN-0124"],
    ["less", "ABCD-EFGH-JKMN-012"],
    ["more", "ABCD-EFGH-JKMN-01233"],
    ["nothing", ""],
    ["a letter that none has", "ABCD-EFGH-JKMN-U123"],
    ["its hash", hashRecoveryCode("ABCD-EFGH-JKMN-0123")],
    ["a letter whose upper case is one of them", "ABCD-EFGH-JKMN-0ı23"],
  ])("is not %s", (_what, typed) => {
    expect(opens(typed)).toBe(false);
  });

  test("is no text that is not its own", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (typed) => expect(opens(typed)).toBe(false)),
      { numRuns: runs(1_000) },
    );
  });
});

test("base 32 is that of RFC 4648, section 10", () => {
  expect(base32(Buffer.from("fooba"), rfc4648)).toBe("MZXW6YTB");
  expect(Buffer.from(bytesOf("MZXW6YTB", rfc4648)).toString()).toBe("fooba");
  expect(Buffer.from(bytesOf("MZXW6", rfc4648)).toString()).toBe("foo");
});
