import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createCode } from "../../src/secrets/codes.ts";

/** Written out here, so that a change in the service shows. */
const alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

/** Answers these bytes, as many as are asked for, and then nothing but zeros. */
function random(...bytes: readonly number[]) {
  const left = [...bytes];
  return (size: number) => Uint8Array.from({ length: size }, () => left.shift() ?? 0);
}

describe("a code", () => {
  test("has six characters, none of which looks like another", () => {
    const codes = Array.from({ length: 500 }, () => createCode(randomBytes));
    expect(codes.filter((code) => !/^[A-Z0-9]{6}$/.test(code) || /[ILO01]/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test("says the bytes that it was made of", () => {
    expect(createCode(random(0, 1, 29, 30, 31, 61))).toBe("AB89A9");
  });

  test("takes no part of a byte that would make some characters likelier", () => {
    // 248 is eight times 31: the bytes from there on would begin the alphabet once more.
    expect(createCode(random(248, 255, 30, 250, 247, 249, 1, 252, 253, 2, 3, 4))).toBe("99BCDE");
  });

  test.each(Array.from({ length: 256 }, (_, byte) => byte))("makes of the byte %d", (byte) => {
    // Eight bytes for each character, and none for those that are left.
    const character = byte < 8 * 31 ? alphabet.charAt(byte % 31) : "A";
    expect(createCode(random(byte, byte, byte, byte, byte, byte))).toBe(character.repeat(6));
  });
});
