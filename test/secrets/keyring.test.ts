import { createSecretKey, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import {
  createKeyring,
  KeyMissing,
  keyIdOf,
  SealBroken,
  type SealedField,
} from "../../src/secrets/keyring.ts";
import { type Key, KeyringInvalid, parseKeyring } from "../../src/secrets/keys.ts";
import { anyCharacter } from "../harness/characters.ts";
import { fc } from "../harness/laws.ts";

const place: SealedField = { stream: "idp-1", field: "clientSecret" };
const plaintext = "a client secret of a provider";
const [first, second] = [keyOf("first"), keyOf("second")];
const keyring = createKeyring([first], randomBytes);

describe("a keyring", () => {
  test("opens what it sealed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        expect(keyring.open(keyring.seal(text, place), place)).toBe(text);
      }),
    );
  });

  test("seals compactly, with the key id in front and nothing of the plaintext", () => {
    const sealed = keyring.seal(plaintext, place);
    expect(sealed).toMatch(/^v1\.first\.[A-Za-z0-9_-]+$/);
    expect(sealed).toHaveLength("v1.first.".length + Math.ceil(((12 + 29 + 16) * 4) / 3));
    expect(Buffer.from(sealed.slice("v1.first.".length), "base64url").includes("client")).toBe(
      false,
    );
    expect(keyIdOf(sealed)).toBe("first");
  });

  test("seals with a fresh nonce each time, from the source that it was given", () => {
    expect(keyring.seal(plaintext, place)).not.toBe(keyring.seal(plaintext, place));
    const fixed = createKeyring([first], (size) => Buffer.alloc(size, 7));
    const sealed = fixed.seal(plaintext, place);
    const bytes = Buffer.from(sealed.slice("v1.first.".length), "base64url");
    expect(bytes.subarray(0, 12)).toEqual(Buffer.alloc(12, 7));
    expect(keyring.open(sealed, place)).toBe(plaintext);
  });

  test("derives a secret from what it sealed: the same, for as long as it has the key", () => {
    const sealed = keyring.seal(plaintext, place);
    const derived = keyring.derive(sealed, place);
    expect(derived).toMatch(/^[0-9a-f]{32}$/);
    expect(createKeyring([second, first], randomBytes).derive(sealed, place)).toBe(derived);
    const others = [
      keyring.derive(keyring.seal(plaintext, place), place),
      keyring.derive(sealed, { ...place, stream: "idp-2" }),
      createKeyring([keyOf("first")], randomBytes).derive(sealed, place),
    ];
    expect(new Set([derived, ...others]).size).toBe(4);
    const other = createKeyring([second], randomBytes);
    expect(() => other.derive(sealed, place)).toThrow(KeyMissing);
    expect(() => keyring.derive("a code", place)).toThrow(SealBroken);
  });

  test.each([
    ["another stream", { stream: "idp-2", field: "clientSecret" }],
    ["another field", { stream: "idp-1", field: "otp" }],
    ["the same letters cut elsewhere", { stream: "idp-1c", field: "lientSecret" }],
    ["names with quotes", { stream: 'idp-1","clientSecret', field: "" }],
    ["nothing", { stream: "", field: "" }],
  ])("does not open at a wrong place: %s", (_, wrong) => {
    const sealed = keyring.seal(plaintext, place);
    expect(() => keyring.open(sealed, wrong)).toThrow(SealBroken);
    expect(() => keyring.opens(sealed, wrong, plaintext)).toThrow(SealBroken);
  });

  test("does not open with any character changed, added or removed", () => {
    // A plaintext of 30 bytes leaves bits to spare in the last character.
    const sealed = keyring.seal(`${plaintext}s`, place);
    const changed = [...sealed].flatMap((character, at) =>
      ["", "A", "z", "-", ".", "=", character.repeat(2)].map(
        (other) => sealed.slice(0, at) + other + sealed.slice(at + 1),
      ),
    );
    const opened = changed.filter((text) => {
      const outcome = outcomeOf(() => keyring.open(text, place));
      return !(outcome instanceof SealBroken || outcome instanceof KeyMissing);
    });
    // Only where the change was none.
    expect(opened.filter((text) => text !== sealed)).toEqual([]);
    expect(opened).not.toEqual([]);
  });

  test("does not open with any bit of nonce, ciphertext or tag changed", () => {
    const sealed = keyring.seal(plaintext, place);
    const bytes = Buffer.from(sealed.slice("v1.first.".length), "base64url");
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = `v1.first.${changed.toString("base64url")}`;
      expect(() => keyring.open(text, place)).toThrow(SealBroken);
    }
  });

  test.each([
    ["nothing", ""],
    ["cleartext", plaintext],
    ["another version", `v2.first.${"A".repeat(40)}`],
    ["no bytes", "v1.first."],
    ["fewer bytes than nonce and tag", `v1.first.${"A".repeat(36)}`],
    ["nonce and tag of nothing", `v1.first.${"A".repeat(38)}`],
    ["a line break behind it", `v1.first.${"A".repeat(40)}\n`],
    ["an id that is too long", `v1.${"f".repeat(33)}.${"A".repeat(40)}`],
  ])("refuses what it never sealed: %s", (_, text) => {
    expect(() => keyring.open(text, place)).toThrow(SealBroken);
    expect(() => keyring.opens(text, place, plaintext)).toThrow(SealBroken);
  });

  test("tells whether a candidate is the plaintext", () => {
    const sealed = keyring.seal("7KQ2ZR", place);
    const candidates = ["7KQ2ZR", "7KQ2ZS", "7KQ2Z", "7KQ2ZRR", "7kq2zr", ""];
    const right = candidates.filter((candidate) => keyring.opens(sealed, place, candidate));
    expect(right).toEqual(["7KQ2ZR"]);
  });
});

describe("rotation", () => {
  const rotated = createKeyring([second, first], randomBytes);

  test("seals with the newest key and opens what any key sealed", () => {
    expect(rotated.keyIds).toEqual(["second", "first"]);
    expect(keyIdOf(rotated.seal(plaintext, place))).toBe("second");
    expect(rotated.open(keyring.seal(plaintext, place), place)).toBe(plaintext);
    expect(rotated.open(rotated.seal(plaintext, place), place)).toBe(plaintext);
  });

  test("names the key that is missing", () => {
    const error = outcomeOf(() => keyring.open(rotated.seal(plaintext, place), place));
    expect(error).toBeInstanceOf(KeyMissing);
    expect(error).toMatchObject({ keyId: "second", message: expect.stringContaining("second") });
  });

  test("does not take one key for another", () => {
    const sealed = keyring.seal(plaintext, place).replace("first", "second");
    expect(() => rotated.open(sealed, place)).toThrow(SealBroken);
    const sameId = createKeyring([{ ...second, id: "first" }], randomBytes);
    expect(() => sameId.open(keyring.seal(plaintext, place), place)).toThrow(SealBroken);
  });

  test("needs ids that differ", () => {
    const twice = () => createKeyring([first, { ...second, id: "first" }], randomBytes);
    expect(twice).toThrow(KeyringInvalid);
  });
});

describe("a check in the log", () => {
  const check = keyring.check();

  test("opens with its key, also behind a newer one", () => {
    expect(keyIdOf(check)).toBe("first");
    expect(outcomeOf(() => keyring.assertOpens(check))).toBeUndefined();
    const rotated = createKeyring([second, first], randomBytes);
    expect(outcomeOf(() => rotated.assertOpens(check))).toBeUndefined();
  });

  test.each([
    ["is missing", [second], /sealed with the key first, which is not among the master keys/],
    ["is another one", [{ ...second, id: "first" }], /key first has the right id but/],
  ] as const)("refuses a start when its key %s", (_, keys, message) => {
    const other = createKeyring(keys, randomBytes);
    const error = outcomeOf(() => other.assertOpens(check));
    expect(error).toBeInstanceOf(KeyringInvalid);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });

  test("is nothing but a check", () => {
    expect(() => keyring.open(check, place)).toThrow(SealBroken);
    expect(() => keyring.assertOpens(keyring.seal("iam", place))).toThrow(KeyringInvalid);
  });
});

describe("IAM_MASTER_KEY", () => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
  const unguessable = randomBytes(32).toString("base64");

  test.each([
    ["one key", `a:${key(1)}`, ["a"]],
    ["several, the newest first", `b-2:${key(2)},a_1:${key(1)}`, ["b-2", "a_1"]],
    ["white space around them", ` b:${key(2)} ,\n a:${key(1)}\n`, ["b", "a"]],
    ["an id of 32 characters", `${"i".repeat(32)}:${key(1)}`, ["i".repeat(32)]],
    [
      "16 keys",
      Array.from({ length: 16 }, (_, id) => `k${id}:${key(id)}`).join(","),
      Array.from({ length: 16 }, (_, id) => `k${id}`),
    ],
  ])("may be %s", (_, text, ids) => {
    const keys = parseKeyring(text);
    expect(keys.map(({ id }) => id)).toEqual(ids);
    expect(keys.every(({ secret }) => secret.symmetricKeySize === 32)).toBe(true);
  });

  test("seals with the first and opens with all", () => {
    const old = createKeyring(parseKeyring(`a:${key(1)}`), randomBytes);
    const rotated = createKeyring(parseKeyring(`b:${key(2)},a:${key(1)}`), randomBytes);
    expect(keyIdOf(rotated.seal(plaintext, place))).toBe("b");
    expect(rotated.open(old.seal(plaintext, place), place)).toBe(plaintext);
  });

  test.each([
    ["nothing", ""],
    ["a key without an id", unguessable],
    ["an empty id", `:${unguessable}`],
    ["an id of 33 characters", `${"i".repeat(33)}:${unguessable}`],
    ["an id with a dot", `a.b:${unguessable}`],
    ["a comma at the end", `a:${unguessable},`],
    ["31 bytes", `a:${randomBytes(31).toString("base64")}`],
    ["33 bytes", `a:${randomBytes(33).toString("base64")}`],
    ["hexadecimal", `a:${randomBytes(32).toString("hex")}`],
    ["base64 without its padding", `a:${unguessable.slice(0, -1)}`],
    ["base64 with bits to spare set", `a:${"A".repeat(42)}B=`],
    ["a key and its id swapped", `${unguessable}:a`],
    ["something behind it", `a:${unguessable} x`],
    ["17 keys", Array.from({ length: 17 }, (_, id) => `k${id}:${unguessable}`).join(",")],
  ])("is refused without being repeated: %s", (_, text) => {
    const error = outcomeOf(() => parseKeyring(text));
    expect(error).toBeInstanceOf(KeyringInvalid);
    expect(error).toMatchObject({ message: expect.stringMatching(/^(Master key|There) .*\.$/) });
    const secrets = text.match(/[A-Za-z0-9+/]{24,}/g) ?? [];
    expect(secrets.filter((secret) => inspect(error).includes(secret))).toEqual([]);
  });

  test("says which of the keys is wrong", () => {
    expect(() => parseKeyring(`a:${key(1)},b:no`)).toThrow(
      /^Master key 2 must have the form <id>:<key>/,
    );
  });

  test("is not shown when its keys are printed", () => {
    const [parsed] = parseKeyring(`a:${unguessable}`);
    const bytes = Buffer.from(unguessable, "base64");
    const printed = inspect(parsed, { depth: 9, showHidden: true }) + JSON.stringify(parsed);
    const shapes = [unguessable, bytes.toString("hex"), inspect(bytes).slice(8, 30)];
    expect(shapes.filter((shape) => printed.includes(shape))).toEqual([]);
  });
});

function keyOf(id: string): Key {
  return { id, secret: createSecretKey(randomBytes(32)) };
}

/** What the function throws, or answers. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
