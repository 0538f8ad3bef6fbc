import { createHash, createHmac, createSecretKey } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createCheck, createSeal } from "../../src/store/chain/chain.ts";
import { createHmac256 } from "../../src/store/chain/hash.ts";
import { digestOf, firstLink, linkOf } from "../../src/store/chain/link.ts";

/** The example of docs/chain.md. */
const event = {
  position: 1n,
  stream: "org-7",
  version: 1,
  type: "org.added",
  owner: "org-7",
  actor: "Zoë",
  timeMs: 1_700_000_000_123,
  payload: '{"name":"Öl 😀"}',
};
const log = "0190a0c4-0000-7000-8000-000000000001";
const salt = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
const key = createSecretKey(Buffer.alloc(32, 0x2a));

const sha256 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The same as it is described, and not as it is made. */
const payloadHash = sha256(salt, event.payload).toString("hex");
const text =
  `36:${log},5:org-7,1:1,9:org.added,5:org-7,4:Zoë,13:1700000000123,` + `64:${payloadHash},`;
const digest = sha256(text);
const mac = createHmac("sha256", Buffer.alloc(32, 0x2a)).update(digest).digest();
const link = sha256(Buffer.alloc(32), Buffer.from("0000000000000001", "hex"), digest, mac);

describe("the hashes of an event", () => {
  test("are what the documents say", () => {
    expect(digestOf(log, event, salt)).toEqual(digest);
    expect(firstLink).toEqual(Buffer.alloc(32));
    expect(linkOf(firstLink, 1n, digest, mac)).toEqual(link);
    const sealed = createSeal({ id: log, key }, () => salt)(event, firstLink);
    expect(sealed).toEqual({ salt, mac, link });
  });

  test("are the same for good", () => {
    expect(payloadHash).toBe("b09e582c9ea514b15803a77426db10db8ab0c5d3c11c0caa3af574eab904990a");
    expect(digest.toString("hex")).toBe(
      "a5336cf0faf8fecf86fcdb65dfad81900b56192123be8f2d5b90f4b2b8b17a68",
    );
    expect(mac.toString("hex")).toBe(
      "e03c82cff4dffd0549e15fb4fd51e78f3a8d8f808932981f3bc3d597b872cce9",
    );
    expect(link.toString("hex")).toBe(
      "a73db7e07ee81434ce3d2f37f618dfe8cfc31606bd827b16ac87658458358211",
    );
  });

  test("of two that say the same differ by their salts", () => {
    let asked = 0;
    const seal = createSeal({ id: log, key }, (size) => Buffer.alloc(size, ++asked));
    expect(seal(event, firstLink).mac).not.toEqual(seal(event, firstLink).mac);
  });
});

describe("an event is not what was appended", () => {
  const sealed = { ...event, ...createSeal({ id: log, key }, () => salt)(event, firstLink) };
  const check = createCheck({ id: log, key });

  test("unless everything is", () => {
    expect(check(sealed, firstLink)).toEqual([]);
    expect(check(sealed, undefined)).toEqual([]);
  });

  test.each([
    ["stream", "org-8"],
    ["version", 2],
    ["type", "org.removed"],
    ["owner", "org-8"],
    ["actor", "Zoe"],
    ["timeMs", event.timeMs + 1],
    ["payload", "{}"],
    ["salt", Buffer.alloc(16)],
    ["mac", Buffer.alloc(32)],
  ])("when its %s is another", (name, value) => {
    const changed = { ...sealed, [name]: value };
    expect(check(changed, firstLink)).toEqual(["MAC", "link"]);
    expect(check(changed, undefined)).toEqual(["MAC"]);
    expect(createCheck({ id: log })(changed, firstLink)).toEqual(["link"]);
    expect(createCheck({ id: log })(changed, undefined)).toEqual([]);
  });

  test("when it is elsewhere", () => {
    expect(check({ ...sealed, position: 2n }, firstLink)).toEqual(["link"]);
    expect(check(sealed, sealed.link)).toEqual(["link"]);
    expect(check({ ...sealed, link: firstLink }, firstLink)).toEqual(["link"]);
  });

  test("when it is of another log, or sealed with another key", () => {
    expect(createCheck({ id: `${log}0`, key })(sealed, firstLink)).toEqual(["MAC", "link"]);
    const other = createSecretKey(Buffer.alloc(32));
    expect(createCheck({ id: log, key: other })(sealed, firstLink)).toEqual(["MAC"]);
  });

  test("where a letter moves from one part to the next", () => {
    const moved = { ...sealed, stream: "org-71", type: "org.added", owner: "rg-7" };
    expect(digestOf(log, moved, salt)).not.toEqual(digest);
    const glued = { ...sealed, owner: "org-7,4", actor: ":Zoë" };
    expect(digestOf(log, glued, salt)).not.toEqual(digest);
  });
});

describe("HMAC-SHA-256", () => {
  const nodes = (secret: Uint8Array, data: Uint8Array | string) =>
    createHmac("sha256", secret).update(data).digest();

  test.each([0, 1, 31, 32, 33, 63, 64])("with a key of %i bytes is Node's", (bytes) => {
    const secret = Buffer.alloc(bytes, 0xa5);
    const hmac = createHmac256(createSecretKey(secret));
    for (const data of ["", "a", "Öl 😀", "x".repeat(100_000), Buffer.alloc(32, 0xff)]) {
      expect(hmac(data)).toEqual(nodes(secret, data));
      expect(hmac(data)).toEqual(nodes(secret, data));
    }
  });

  test("takes no longer key", () => {
    expect(() => createHmac256(createSecretKey(Buffer.alloc(65)))).toThrow(/at most 64 bytes/);
  });
});
