import { describe, expect, test } from "@jest/globals";
import { emailProblem } from "../../../../src/domain/user/human/email.ts";
import { runs } from "../../../harness/extent.ts";
import { fc } from "../../../harness/laws.ts";

/** Labels that together with "com" make a host of the given length. */
function hostOf(characters: number): string {
  const rest = "d".repeat(characters - ".com".length);
  return `${rest.replaceAll(/(.{63})./g, "$1.")}.com`;
}

const taken = [
  "a@b",
  "ada@example.com",
  "ADA@EXAMPLE.COM",
  "ada@Bücher.Example",
  "ada@straße.example",
  "ada@ΣΊΣΥΦΟΣ.example",
  "ada@例子.广告",
  "ada@xn--bcher-kva.example",
  "ada@r3---sn.example",
  "ada@4.example",
  "ada@example.4a",
  "ada@1.2.3.example",
  `${"a".repeat(64)}@example.com`,
  `${"é".repeat(32)}@example.com`,
  `${"😀".repeat(16)}@example.com`,
  `ada@${"d".repeat(63)}.com`,
  `ada@${hostOf(253)}`,
  // 63 characters of ASCII as DNS has it: xn-- and what Punycode makes of it.
  `ada@${"d".repeat(55)}ü.com`,
];

const refused = [
  "",
  "ada",
  "@",
  `${"a".repeat(65)}@example.com`,
  `${"é".repeat(32)}a@example.com`,
  `${"😀".repeat(16)}a@example.com`,
  `ada@${"d".repeat(64)}.com`,
  `ada@sub.${"d".repeat(64)}`,
  `ada@${"d".repeat(56)}ü.com`,
  `ada@${hostOf(254)}`,
  // Addresses of devices, as URLs and as people write them.
  ..."127.0.0.1 127.1 1 2130706433 0x7f000001 0x7f.1 017700000001 999.999.999.999".split(" "),
  ..."example.1 example.0x1 １２７.0.0.1 ①.example".split(" "),
  // Not what Unicode calls the same (NFKC), and not host names (UTS 46).
  ..."ｅxample.com bu\u0308cher.example \u212aelvin.example ﬁ.example ª.example".split(" "),
  ..."١٢٧.٠.٠.١ aא.example xn--bücher.example".split(" "),
].map((text) => (text === "" || /@|^ada$/.test(text) ? text : `ada@${text}`));

describe("an e-mail address", () => {
  test.each(taken)("may be %s", (email) => {
    expect(emailProblem(email)).toBeUndefined();
  });

  test.each(refused)("is not %j", (email) => {
    expect(emailProblem(email)).toBe("must be one e-mail address, for example ada@example.com");
  });

  test.each([
    "=?utf-8?q?a=40evil.example=3e=20?=@example.com",
    "=?UTF-8?B?YUBldmlsLmV4YW1wbGU=?=@example.com",
    "a=?b@example.com",
    "a%evil.example@example.com",
    "%@example.com",
    "evil.example!a@example.com",
    "a!@example.com",
    // What the characters of before are, and the @, in other forms.
    ..."a\uff05b@example.com a\ufe6ab@example.com a\uff01b@example.com a\u203cb@example.com".split(
      " ",
    ),
    ..."=\uff1fa@example.com \uff1d\uff1fa@example.com a\uff20evil.example@example.com".split(" "),
  ])("Splitting the email atom: others would read %j as another one", (email) => {
    expect(emailProblem(email)).toBe("must be one e-mail address, for example ada@example.com");
  });

  test.each(["a=b@example.com", "a=b?c@example.com", "a?=b@example.com", "a|b^c~d*e@example.com"])(
    "Splitting the email atom: %j stays one",
    (email) => {
      expect(emailProblem(email)).toBeUndefined();
    },
  );

  test("has nothing in it that is not seen", () => {
    const unseen = fc.constantFrom(
      ..."\u3164\ufe0f\uffa0\u115f\u1160\u17b4\u17b5\u034f\u180b\u2065",
    );
    fc.assert(
      fc.property(unseen, fc.nat("ada@example.com".length), (character, at) => {
        const email = `${"ada@example.com".slice(0, at)}${character}${"ada@example.com".slice(at)}`;
        expect(emailProblem(email)).toBeDefined();
      }),
    );
  });

  test("has a host that DNS has under the same name, case aside", () => {
    const host = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(host, fc.domain()), (name) => {
        const isTaken = emailProblem(`ada@${name}`) === undefined;
        const ascii = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).host : "";
        const isName = ascii !== "" && !/(^|\.)\d+$/.test(ascii) && name.normalize("NFKC") === name;
        expect(isTaken && !isName).toBe(false);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
