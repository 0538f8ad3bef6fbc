import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import {
  createClientSecret,
  createToken,
  hashSecret,
  isHashOf,
  isToken,
} from "../../src/secrets/tokens.ts";
import { fc } from "../harness/laws.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function bytes(fill: (index: number) => number): (size: number) => Uint8Array {
  return (size) => Uint8Array.from({ length: size }, (_, index) => fill(index));
}

/** The number that base 62 stands for, read the slow way. */
function numberOf(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
}

describe("a personal access token", () => {
  // Made with an independent implementation: Python's int, zlib.crc32 and this alphabet.
  test.each([
    ["zeros", () => 0, "iam_pat_00000000000000000000000000000000000000000002q7O6Y"],
    ["the largest bytes", () => 0xff, "iam_pat_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp10t9Eas"],
    [
      "counting bytes",
      (index) => index,
      "iam_pat_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3KkQMI",
    ],
    [
      "a one at the end",
      (index) => (index === 31 ? 1 : 0),
      "iam_pat_00000000000000000000000000000000000000000014K4Zzs",
    ],
    [
      "a one at the start",
      (index) => (index === 0 ? 1 : 0),
      "iam_pat_0EhWuMzfS7MPuxAu520Mu4XwCuyZfalRej3Z8gTlzA80LvXLh",
    ],
    [
      "61, the last digit",
      (index) => (index === 31 ? 61 : 0),
      "iam_pat_000000000000000000000000000000000000000000z0Eqqbg",
    ],
    [
      "62, the first with two",
      (index) => (index === 31 ? 62 : 0),
      "iam_pat_00000000000000000000000000000000000000000102Nd9rD",
    ],
  ] as readonly (readonly [string, (index: number) => number, string])[])(
    "of %s",
    (_, fill, token) => {
      expect(createToken(bytes(fill))).toBe(token);
      expect(isToken(token)).toBe(true);
    },
  );

  test("says the bytes that it was made of, and the checksum of what stands before", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret) => {
        const token = createToken(() => secret);
        expect(token).toMatch(/^iam_pat_[0-9A-Za-z]{49}$/);
        const number = numberOf(token.slice(8, 51));
        expect(number.toString(16).padStart(64, "0")).toBe(Buffer.from(secret).toString("hex"));
        expect(numberOf(token.slice(51))).toBe(BigInt(crc32(token.slice(0, 51))));
        expect(isToken(token)).toBe(true);
      }),
    );
  });

  test("asks for 32 random bytes, and is another one each time", () => {
    const sizes: number[] = [];
    const random = (size: number) => {
      sizes.push(size);
      return randomBytes(size);
    };
    expect(createToken(random)).not.toBe(createToken(random));
    expect(sizes).toEqual([32, 32]);
  });
});

describe("the form of a token", () => {
  const token = createToken(randomBytes);

  test.each([
    ["nothing", ""],
    ["the prefix", "iam_pat_"],
    ["another prefix", token.replace("pat", "key")],
    ["a prefix in capitals", token.replace("iam", "IAM")],
    ["space before", ` ${token}`],
    ["space after", `${token} `],
    ["a line break after", `${token}\n`],
    ["another digit", `${token}0`],
    ["a digit of no base", token.replace(/.$/, "_")],
    ["a digit of another script", token.replace(/.$/, "٣")],
    ["a token after a token", token + token],
  ])("is not that of %s", (_, given) => {
    expect(isToken(given)).toBe(false);
  });

  test("is lost with any character", () => {
    const shorter = [...token].map((_, index) => token.slice(0, index) + token.slice(index + 1));
    expect(shorter.filter(isToken)).toEqual([]);
  });

  test("is lost with any change of one character", () => {
    const changed = [...token].flatMap((digit, index) =>
      [...alphabet]
        .filter((other) => other !== digit)
        .map((other) => token.slice(0, index) + other + token.slice(index + 1)),
    );
    expect(changed.length).toBeGreaterThan(3_000);
    expect(changed.filter(isToken)).toEqual([]);
  });

  test("is lost when two neighbours change places", () => {
    const swapped = [...token].flatMap((digit, index) => {
      const next = token[index + 1];
      if (next === undefined || next === digit) return [];
      return [token.slice(0, index) + next + digit + token.slice(index + 2)];
    });
    expect(swapped.length).toBeGreaterThan(40);
    expect(swapped.filter(isToken)).toEqual([]);
  });
});

describe("a client secret", () => {
  test.each([
    ["zeros", () => 0, "A".repeat(43)],
    ["the largest bytes", () => 0xff, `${"_".repeat(42)}8`],
    ["what is escaped in plain base 64", () => 0xfb, `${"-_v7".repeat(10)}-_s`],
  ])("of %s has 43 characters that need no escape in URLs", (_, fill, secret) => {
    expect(createClientSecret(bytes(fill))).toBe(secret);
    expect(secret).toHaveLength(43);
  });

  test("holds all 32 bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (given) => {
        const secret = createClientSecret(() => given);
        expect(secret).toMatch(/^[\w-]{43}$/);
        expect(new Uint8Array(Buffer.from(secret, "base64url"))).toEqual(given);
      }),
    );
  });
});

describe("the hash of a secret", () => {
  // FIPS 180-2 has the one of "abc"; the others were made with sha256sum.
  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["schlüssel", "ccec7a8e3e039f0b6b308a81f438e1d07a59c8c896b4f237d10c3eecb8375ef7"],
  ])("of %j is its SHA-256 in hexadecimal", (secret, hash) => {
    expect(hashSecret(secret)).toBe(hash);
  });

  test.each([
    ["itself", "abc", true],
    ["another", "abd", false],
    ["a longer one", "abcd", false],
    ["nothing", "", false],
  ])("is told from that of %s", (_, secret, expected) => {
    expect(isHashOf(hashSecret("abc"), secret)).toBe(expected);
    expect(isHashOf(hashSecret("abc").slice(1), secret)).toBe(false);
  });

  test("is of the whole text", () => {
    const token = createToken(randomBytes);
    expect(hashSecret(token)).toBe(createHash("sha256").update(token, "utf8").digest("hex"));
    expect(hashSecret(token)).not.toBe(hashSecret(token.slice(0, -1)));
  });
});
