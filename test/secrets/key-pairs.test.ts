import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { expect, test } from "@jest/globals";
import {
  createKeyPairs,
  type KeyPair,
  KeysOverloaded,
  keyPairsWaitingMax,
} from "../../src/secrets/key-pairs.ts";

/** Keys that are done when the test says so, and how many were begun. */
function heldKeys(waitingMax: number) {
  const ends: PromiseWithResolvers<KeyPair>[] = [];
  const make = () => {
    const end = Promise.withResolvers<KeyPair>();
    ends.push(end);
    return end.promise;
  };
  return { keyPairs: createKeyPairs({ waitingMax, make }), ends };
}
const pair: KeyPair = { publicKey: { kty: "RSA", n: "n", e: "e" }, privateKey: "p" };

test("what is signed with a key is verified with its public part alone", async () => {
  const keyPairs = createKeyPairs({ waitingMax: keyPairsWaitingMax });
  const [one, other] = await Promise.all([keyPairs.create(), keyPairs.create()]);
  expect(Object.keys(one.publicKey).sort()).toEqual(["e", "kty", "n"]);
  expect(one.privateKey).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  const privateKey = createPrivateKey(one.privateKey);
  expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(2_048);
  const text = Buffer.from("text");
  const signature = sign("sha256", text, privateKey);
  const isSignedBy = ({ publicKey: key }: KeyPair) =>
    verify("sha256", text, createPublicKey({ key, format: "jwk" }), signature);
  expect([isSignedBy(one), isSignedBy(other)]).toEqual([true, false]);
});

test("one key is made at a time, so many wait, and one more is refused", async () => {
  const { keyPairs, ends } = heldKeys(keyPairsWaitingMax);
  const asked = Array.from({ length: 1 + keyPairsWaitingMax }, () => keyPairs.create());
  await expect(keyPairs.create()).rejects.toBeInstanceOf(KeysOverloaded);
  for (const [index, one] of asked.entries()) {
    expect(ends).toHaveLength(index + 1);
    ends[index]!.resolve(pair);
    expect(await one).toBe(pair);
  }
});

test("no key is made for who has gone while it waited", async () => {
  const { keyPairs, ends } = heldKeys(1);
  const first = keyPairs.create();
  const gone = new AbortController();
  const second = keyPairs.create(gone.signal);
  gone.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  ends[0]!.resolve(pair);
  await first;
  expect(ends).toHaveLength(1);
});
