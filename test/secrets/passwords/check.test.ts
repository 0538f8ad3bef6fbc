import { describe, expect, test } from "@jest/globals";
import { acceptedFormats, checkHash } from "../../../src/secrets/passwords/encoded.ts";
import { anyCharacter } from "../../harness/characters.ts";
import { runs } from "../../harness/extent.ts";
import { fc } from "../../harness/laws.ts";
import { vectors } from "./vectors.ts";

const salt = base64(16);
const hash = base64(32);

/** Per cap: the hash with a value in its place, the outermost values, and one step past each. */
const caps: readonly {
  readonly cap: string;
  readonly hashOf: (value: number) => string;
  readonly allowed: readonly number[];
  readonly refused: readonly number[];
}[] = [
  cap("Argon2 m", (m) => `$argon2id$v=19$m=${m},t=1,p=1$${salt}$${hash}`, [8, 131_072]),
  cap("Argon2i m", (m) => `$argon2i$m=${m},t=1,p=1$${salt}$${hash}`, [8, 131_072]),
  cap("Argon2 m by p", (m) => `$argon2id$v=19$m=${m},t=1,p=8$${salt}$${hash}`, [64, 131_072]),
  cap("Argon2 t", (t) => `$argon2id$v=19$m=256,t=${t},p=1$${salt}$${hash}`, [1, 10]),
  cap("Argon2 p", (p) => `$argon2id$v=19$m=256,t=1,p=${p}$${salt}$${hash}`, [1, 8]),
  cap("Argon2 salt", (n) => `$argon2id$v=19$m=256,t=1,p=1$${base64(n)}$${hash}`, [8, 64]),
  cap("Argon2 hash", (n) => `$argon2id$v=19$m=256,t=1,p=1$${salt}$${base64(n)}`, [16, 64]),
  cap("bcrypt cost", (cost) => `$2b$${String(cost).padStart(2, "0")}$${dots(53)}`, [4, 15]),
  cap("bcrypt length", (n) => `$2b$04$${dots(n)}`, [53, 53]),
  cap("scrypt ln", (ln) => `$scrypt$ln=${ln},r=8,p=1$${salt}$${hash}`, [1, 17]),
  cap("scrypt ln by r", (ln) => `$scrypt$ln=${ln},r=1,p=1$${salt}$${hash}`, [1, 15]),
  cap("scrypt ln at most", (ln) => `$scrypt$ln=${ln},r=2,p=1$${salt}$${hash}`, [1, 19]),
  cap("scrypt r", (r) => `$scrypt$ln=4,r=${r},p=1$${salt}$${hash}`, [1, 32]),
  cap("scrypt r by N", (r) => `$scrypt$ln=16,r=${r},p=1$${salt}$${hash}`, [2, 16]),
  cap("scrypt p", (p) => `$scrypt$ln=4,r=8,p=${p}$${salt}$${hash}`, [1, 16]),
  cap("scrypt p by memory", (p) => `$scrypt$ln=17,r=8,p=${p}$${salt}$${hash}`, [1, 4]),
  cap("scrypt salt", (n) => `$scrypt$ln=4,r=8,p=1$${base64(n)}$${hash}`, [0, 64]),
  cap("scrypt hash", (n) => `$scrypt$ln=4,r=8,p=1$${salt}$${base64(n)}`, [16, 64]),
  cap("$7$ N", (n) => `$7$${digit(n)}6..../....salt$${dots(43)}`, [1, 17]),
  cap("$7$ r", (n) => `$7$4${digit(n)}..../....salt$${dots(43)}`, [1, 32]),
  cap("$7$ p", (n) => `$7$46....${digit(n)}....salt$${dots(43)}`, [1, 16]),
  cap("$7$ salt", (n) => `$7$46..../....${dots(n)}$${dots(43)}`, [0, 64]),
  cap("$7$ hash", (n) => `$7$46..../....salt$${dots(n)}`, [43, 43]),
  cap("PBKDF2 rounds", (i) => `$pbkdf2-sha256$${i}$${salt}$${hash}`, [1, 2_000_000]),
  cap("PBKDF2 i", (i) => `$pbkdf2-sha512$i=${i}$${salt}$${base64(64)}`, [1, 2_000_000]),
  cap("PBKDF2 by block", (i) => `$pbkdf2$${i}$${salt}$${base64(21)}`, [1, 1_000_000]),
  cap("PBKDF2 l", (l) => `$pbkdf2-sha256$i=1000,l=${l}$${salt}$${hash}`, [32, 32]),
  cap("PBKDF2 salt", (n) => `$pbkdf2-sha256$1000$${base64(n)}$${hash}`, [0, 64]),
  cap("PBKDF2 hash", (n) => `$pbkdf2-sha256$1000$${salt}$${base64(n)}`, [16, 64]),
  cap("$5$ rounds", (n) => `$5$rounds=${n}$salt$${dots(43)}`, [1_000, 500_000]),
  cap("$6$ rounds", (n) => `$6$rounds=${n}$salt$${dots(86)}`, [1_000, 500_000]),
  cap("$5$ salt", (n) => `$5$${dots(n)}$${dots(43)}`, [0, 16]),
  cap("$6$ salt", (n) => `$6$rounds=1000$${dots(n)}$${dots(86)}`, [0, 16]),
  cap("$5$ hash", (n) => `$5$salt$${dots(n)}`, [43, 43]),
  cap("$6$ hash", (n) => `$6$salt$${dots(n)}`, [86, 86]),
  cap("$1$ salt", (n) => `$1$${dots(n)}$${dots(22)}`, [0, 8]),
  cap("$1$ hash", (n) => `$1$salt$${dots(n)}`, [22, 22]),
  cap("phpass rounds", (n) => `$P$${digit(n)}${dots(30)}`, [7, 18]),
  cap("phpBB rounds", (n) => `$H$${digit(n)}${dots(30)}`, [7, 18]),
  cap("phpass length", (n) => `$P$9${dots(n)}`, [30, 30]),
];

/** The secret must not come back in the reason. */
const secret = "S3cr3tS3cr3tS3cr3tS3cr";

const malformed: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["a dollar sign", "$"],
  ["an id alone", "$argon2id"],
  ["an id and nothing more", "$argon2id$"],
  ["a name of every object", `$__proto__$${secret}`],
  ["a cleartext password", secret],
  ["something in front", ` $1$salt$${secret}`],
  ["Argon2d", `$argon2d$v=19$m=256,t=1,p=1$${salt}$${secret}`],
  ["an unknown version of Argon2", `$argon2id$v=18$m=256,t=1,p=1$${salt}$${secret}`],
  ["Argon2 with a key id", `$argon2id$v=19$m=256,t=1,p=1,keyid=ABCD$${salt}$${secret}`],
  ["Argon2 in another order", `$argon2id$v=19$t=1,m=256,p=1$${salt}$${secret}`],
  ["Argon2 without m", `$argon2id$v=19$t=1,p=1$${salt}$${secret}`],
  ["Argon2 with a leading zero", `$argon2id$v=19$m=0256,t=1,p=1$${salt}$${secret}`],
  ["Argon2 past 32 bits", `$argon2id$v=19$m=4294967552,t=1,p=1$${salt}$${secret}`],
  ["Argon2 with a sign", `$argon2id$v=19$m=+256,t=1,p=1$${salt}$${secret}`],
  ["Argon2 with an exponent", `$argon2id$v=19$m=2e2,t=1,p=1$${salt}$${secret}`],
  ["Argon2 with digits of another script", `$argon2id$v=19$m=٢٥٦,t=1,p=1$${salt}$${secret}`],
  ["Argon2 with one field more", `$argon2id$v=19$m=256,t=1,p=1$${salt}$${secret}$x`],
  ["base64url", `$argon2id$v=19$m=256,t=1,p=1$${salt}$${"_".repeat(22)}`],
  ["base64 with bits to spare set", `$argon2id$v=19$m=256,t=1,p=1$${salt}$${"A".repeat(21)}B`],
  ["base64 of no whole bytes", `$argon2id$v=19$m=256,t=1,p=1$${salt}$${"A".repeat(25)}`],
  ["too little padding", `$scrypt$ln=4,r=8,p=1$${salt}$${"A".repeat(22)}=`],
  ["too much padding", `$scrypt$ln=4,r=8,p=1$${salt}$${"A".repeat(22)}===`],
  ["bcrypt 2x", `$2x$04$${dots(31)}${secret}`],
  ["bcrypt 2", `$2$04$${dots(31)}${secret}`],
  ["bcrypt with one digit", `$2b$4$${dots(31)}${secret}`],
  ["bcrypt with three digits", `$2b$004$${dots(31)}${secret}`],
  ["bcrypt with a foreign character", `$2b$04$${dots(30)}!${secret}`],
  ["scrypt without p", `$scrypt$ln=4,r=8$${salt}$${secret}`],
  ["scrypt with a word", `$scrypt$ln=4,r=A,p=1$${salt}$${secret}`],
  ["scrypt with a huge r", `$scrypt$ln=1,r=134217728,p=8$${salt}$${secret}`],
  ["$7$ with a control character in its salt", `$7$46..../....a\u0001b$${dots(43)}`],
  ["PBKDF2 without rounds", `$pbkdf2$$${salt}$${secret}`],
  ["PBKDF2 with a leading zero", `$pbkdf2$01212$${salt}$${secret}`],
  ["PBKDF2 with l but not i", `$pbkdf2-sha256$1212,l=16$${salt}$${secret}`],
  ["PBKDF2 with MD5", `$pbkdf2-md5$1212$${salt}$${secret}`],
  ["Django", `pbkdf2_sha256$1212$${salt}$${secret}`],
  ["$5$ with a leading zero", `$5$rounds=01000$salt$${dots(43)}`],
  ["$5$ without digits", `$5$rounds=$salt$${dots(43)}`],
  ["$5$ with the hash of $6$", `$5$salt$${dots(86)}`],
  ["$6$ with the hash of $5$", `$6$salt$${dots(43)}`],
  ["$5$ with bits to spare set", `$5$salt$${dots(42)}z`],
  ["$6$ with bits to spare set", `$6$salt$${dots(85)}z`],
  ["$6$ with a colon in its salt", `$6$sa:lt$${dots(86)}`],
  ["$5$ with a line break in its salt", `$5$sa\nlt$${dots(43)}`],
  ["$5$ with U+007F in its salt", `$5$sa\u007flt$${dots(43)}`],
  ["$6$ with a salt beyond ASCII", `$6$sält$${dots(86)}`],
  ["$5$ with rounds but no salt", `$5$rounds=1000$${dots(43)}`],
  ["$6$ with rounds but no salt", `$6$rounds=1000$${dots(86)}`],
  ["$1$ with a colon in its salt", `$1$sa:lt$${dots(22)}`],
  ["$1$ with a tab in its salt", `$1$sa\tlt$${dots(22)}`],
  ["$1$ with one field more", `$1$salt$${dots(22)}$`],
  ["$1$ with bits to spare set", `$1$salt$${dots(21)}z`],
  ["Apache's md5-crypt", `$apr1$salt$${secret}`],
  ["phpass with a foreign character", `$P$9${dots(29)}!`],
  ["DES crypt", "ab1234567890."],
  ["a line break behind it", `$1$salt$${dots(22)}\n`],
  ["more than 512 characters", `$7$46..../....${"s".repeat(512)}$${dots(43)}`],
];

describe("the threat: an imported hash with a huge cost", () => {
  test.each(caps)("$cap is allowed up to its cap", ({ hashOf, allowed }) => {
    for (const value of allowed) expect(checkHash(hashOf(value))).toMatchObject({ ok: true });
  });

  test.each(caps)("$cap is refused one past its cap", ({ hashOf, refused }) => {
    for (const value of refused) {
      expect(checkHash(hashOf(value))).toEqual({ ok: false, reason: expect.stringMatching(/\.$/) });
    }
  });

  test("512 characters are looked into, one more is not", () => {
    const unknown = expect.stringContaining("accepted formats");
    expect(checkHash(`$x$${"y".repeat(509)}`)).toMatchObject({ reason: unknown });
    expect(checkHash(`$x$${"y".repeat(510)}`)).toMatchObject({
      reason: "A hash has at most 512 characters.",
    });
  });
});

describe("checkHash", () => {
  test.each(malformed)("refuses %s, and does not repeat it", (_, encoded) => {
    const result = checkHash(encoded);
    expect(result).toEqual({ ok: false, reason: expect.stringMatching(/^[A-Za-z].*\.$/s) });
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("names the accepted formats when it knows none of the text's", () => {
    expect(checkHash("$y$j9T$salt$hash")).toEqual({
      ok: false,
      reason: `The accepted formats are ${acceptedFormats}.`,
    });
  });

  test.each(vectors)("accepts the hash of %j: %s", (_, encoded) => {
    expect(checkHash(encoded)).toMatchObject({ ok: true });
  });

  test("never throws, whatever it is given", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("$", "=", ",", "m=", "rounds=", "0", "99999999999", "A".repeat(43), "."),
      fc.constantFrom(..."argon2id 2b scrypt 7 pbkdf2-sha256 5 6 1 P H".split(" ")),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = checkHash(`$${pieces.join("")}`);
        expect(typeof result.ok).toBe("boolean");
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("never throws at a hash with one character changed, added or removed", () => {
    const change = fc.record({
      hash: fc.constantFrom(...vectors.map(([, encoded]) => encoded)),
      at: fc.nat(130),
      removed: fc.integer({ min: 0, max: 1 }),
      added: fc.string({ maxLength: 1, unit: anyCharacter }),
    });
    fc.assert(
      fc.property(change, ({ hash: encoded, at, removed, added }) => {
        const result = checkHash(encoded.slice(0, at) + added + encoded.slice(at + removed));
        expect(typeof result.ok).toBe("boolean");
      }),
      { numRuns: runs(2_000) },
    );
  });
});

function cap(name: string, hashOf: (value: number) => string, ends: readonly [number, number]) {
  const [min, max] = ends;
  // Below nothing there is nothing.
  const refused = [min - 1, max + 1].filter((value) => value >= 0);
  return { cap: name, hashOf, allowed: [min, max], refused };
}

function base64(bytes: number): string {
  return Buffer.alloc(bytes, 7).toString("base64").replace(/=+$/, "");
}

function dots(characters: number): string {
  return ".".repeat(characters);
}

/** The digit of crypt(3)'s base 64. */
function digit(value: number): string {
  return "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".charAt(value);
}
