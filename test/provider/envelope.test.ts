import { createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createMemory } from "../../src/provider/base/memory.ts";
import { createEnvelope, envelopesMax } from "../../src/provider/token/envelope.ts";
import type { OpenKey } from "../../src/provider/token/keys.ts";
import { createKeyPairs } from "../../src/secrets/key-pairs.ts";

const issuer = "https://iam.example.com";
const keyPairs = createKeyPairs({ waitingMax: 2 });
const keys: OpenKey[] = [];

beforeAll(async () => {
  for (const keyId of ["one", "two"]) {
    const { privateKey } = await keyPairs.create();
    keys.push({ keyId, algorithm: "RS256", key: createPrivateKey(privateKey) });
  }
});
afterAll(() => expect(envelopesMax).toBe(10_000));

const envelopeOf = (...published: typeof keys) =>
  createEnvelope({ version: "", untilMs: 0, signer: published[0]!, published }, issuer);

test("an envelope opens as often as it is shown, and nothing that is changed does", async () => {
  const envelope = envelopeOf(keys[0]!);
  const text = await envelope.seal({ jti: "id" });
  const [head, body, signature = ""] = text.split(".");
  const other = (await envelopeOf(keys[1]!).seal({ jti: "id" })).split(".").at(-1);
  for (let times = 0; times < 2; times += 1) {
    expect(await envelope.open(text)).toBe("id");
    for (const end of [signature.slice(0, -3), `${signature}A`, other, ""]) {
      expect(await envelope.open(`${head}.${body}.${end}`)).toBeUndefined();
    }
  }
});

test("GHSA-6mq3-xmgp-pjm5: an envelope is one text, and nothing else that reads so", async () => {
  const envelope = envelopeOf(keys[0]!);
  const parts = (await envelope.seal({ jti: "id" })).split(".");
  for (const [at, part = ""] of parts.entries()) {
    // The last letter of a signature says two bits, so that more than one would do for it.
    const last = String.fromCharCode(part.charCodeAt(part.length - 1) + 1);
    for (const other of [
      `${part}!`,
      `${part}=`,
      `${part}\n`,
      ` ${part}`,
      part.slice(0, -1) + last,
    ]) {
      expect(await envelope.open(parts.with(at, other).join("."))).toBeUndefined();
    }
  }
});

test("an envelope of a key that is gone does not open, though it did before", async () => {
  const text = await envelopeOf(keys[0]!).seal({ jti: "id" });
  expect(await envelopeOf(keys[1]!, keys[0]!).open(text)).toBe("id");
  expect(await envelopeOf(keys[1]!).open(text)).toBeUndefined();
});

test("so many are remembered, and of one more the first is forgotten", () => {
  const memory = createMemory<number>(2);
  memory.keep("a", 1);
  memory.keep("b", 2);
  expect([memory.get("a"), memory.get("b")]).toEqual([1, 2]);
  memory.keep("c", 3);
  expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual([undefined, 2, 3]);
  memory.keep("c", 4, 2);
  expect([memory.get("b"), memory.get("c")]).toEqual([undefined, 4]);
  memory.keep("d", 5, 3);
  expect([memory.get("c"), memory.get("d")]).toEqual([undefined, undefined]);
});
