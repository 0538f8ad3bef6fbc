import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { type Case, row, runCases } from "../harness/cases.ts";
import { isFull } from "../harness/extent.ts";
import { begun, givenLink, humanOf, made, refused } from "./accounts.ts";
import { fact } from "./stored.ts";
import { detailsOfStream } from "./users.ts";
import {
  allFlags,
  type Device,
  edwardsKey,
  ellipticKey,
  latticeKey,
  present,
  rsaKey,
  verified,
} from "./webauthn.ts";

/** Passkeys: the options for a browser, and what it makes of them. */

const { beginPasskey, finishPasskey } = AccountService.method;

const added = "user.human.passwordless.token.added";
const invalid = {
  code: 3,
  reason: "PASSKEY_INVALID",
  message: "The passkey was not created with the options that this service issued for this code.",
};
/** A key of RSA takes long to find. */
const rsa = rsaKey(2_048);
/** As large as they come, in full. */
const largestRsa = isFull ? rsaKey(4_096) : rsa;

/** A row with a passkey that is accepted. */
function accepted(title: string, device: Device, stored: object = {}, name = ""): Case {
  return row(`FinishPasskey: accepts ${title}`, finishPasskey, async (world) => {
    const { server } = world;
    const link = await givenLink(world);
    const { request, credentialId, publicKey } = await made(world, link, device);
    const passkey = {
      ...{ credentialId, publicKey, counter: 0, transports: ["internal", "hybrid"], name },
      ...stored,
    };
    return {
      request: { ...request, name },
      token: "",
      expected: {
        async ok({ details }, events) {
          const { userId, codeId } = link;
          expect(events.map(fact)).toEqual([
            {
              ...{ stream: `user-${userId}`, version: 4, owner: server.admin.organization },
              ...{ type: added, actor: userId, payload: { codeId, ...passkey } },
            },
          ]);
          expect(details).toEqual(await detailsOfStream(server, `user-${userId}`));
          expect(await humanOf(server, userId)).toMatchObject({
            passkeys: [passkey],
            passwordless: [],
          });
        },
      },
    };
  });
}

/** What of a browser's answer the service asks for, as fields. */
function asFields({ id, response }: JsonObject) {
  const { clientDataJSON, attestationObject, transports } = response as JsonObject;
  return {
    id: String(id),
    clientDataJson: String(clientDataJSON),
    attestationObject: String(attestationObject),
    transports: transports as string[],
  };
}

/** A row with a passkey that is none of ours: nothing is recorded, and the link stays good. */
function rejected(title: string, from: Device | ((made: JsonObject) => JsonObject)): Case {
  return row(`FinishPasskey: refuses ${title}`, finishPasskey, async (world) => {
    const link = await givenLink(world);
    const isDevice = typeof from !== "function";
    const right = await made(world, link, isDevice ? from : {});
    const credential = isDevice ? right.credential : from(right.credential);
    const before = await humanOf(world.server, link.userId);
    const answer = await world.call(finishPasskey, { ...link, credential }, "");
    expect(answer).toMatchObject({ ok: false, ...invalid });
    expect(await humanOf(world.server, link.userId)).toEqual(before);
    return { request: { ...link, credential }, token: "", expected: invalid };
  });
}

runCases("passkeys", [
  row("BeginPasskey: makes options, and the code stays good", beginPasskey, async (world) => {
    const link = await givenLink(world, { profile: { firstName: "A", lastName: "B" } });
    const first = await begun(world, link);
    return {
      request: link,
      token: "",
      expected: {
        ok({ options }, events) {
          const expected: JsonObject = {
            rp: { id: "iam.example.com", name: "iam.example.com" },
            user: {
              id: Buffer.from(link.userId).toString("base64url"),
              name: world.unique,
              displayName: "A B",
            },
            timeout: 300_000,
            attestation: "none",
            excludeCredentials: [],
          };
          expect(options).toMatchObject(expected);
          expect(options?.authenticatorSelection).toMatchObject({
            residentKey: "required",
            userVerification: "required",
          });
          // Ed25519, ES256 and RS256, which every device has one of.
          expect(options?.pubKeyCredParams).toEqual(
            [-8, -7, -257].map((alg) => ({ alg, type: "public-key" })),
          );
          expect(options?.challenge).toMatch(/^[\w-]{40,}$/);
          expect(options?.challenge).not.toBe(first.challenge);
          expect(JSON.stringify(options)).not.toContain(link.code);
          expect(events).toEqual([]);
        },
      },
    };
  }),
  row(
    "BeginPasskey: refuses the code under another id, uncounted",
    beginPasskey,
    async (world) => ({
      request: { ...(await givenLink(world)), codeId: "c".repeat(200) },
      token: "",
      expected: refused,
    }),
  ),

  accepted("a passkey", {}),
  row("FinishPasskey: accepts one after five that were none", finishPasskey, async (world) => {
    const link = await givenLink(world);
    for (let nth = 0; nth < 5; nth += 1) {
      const answer = await world.call(finishPasskey, { ...link, credential: {} }, "");
      expect(answer).toMatchObject({ ok: false, ...invalid });
    }
    const { request } = await made(world, link);
    return { request, token: "", expected: { ok: (_, events) => expect(events).toHaveLength(1) } };
  }),
  row("FinishPasskey: accepts one that is described by fields", finishPasskey, async (world) => {
    const link = await givenLink(world);
    const { credential, credentialId, publicKey } = await made(world, link);
    return {
      request: { ...link, registration: asFields(credential) },
      token: "",
      expected: {
        ok: (_, [event]) =>
          expect(JSON.parse(event!.payload)).toMatchObject({
            ...{ credentialId, publicKey, transports: ["internal", "hybrid"] },
          }),
      },
    };
  }),
  row("FinishPasskey: refuses fields of another origin", finishPasskey, async (world) => {
    const link = await givenLink(world);
    const device = { origin: "https://evil.example.com" };
    const { credential } = await made(world, link, device);
    const request = { ...link, registration: asFields(credential) };
    return { request, token: "", expected: invalid };
  }),
  accepted("one with a key of Ed25519", { key: edwardsKey() }),
  accepted("one with a key of RSA", { key: rsa }),
  accepted("one with a name", {}, {}, "Zoë's 📱"),
  accepted("one with a name of 200 characters", {}, {}, "😀".repeat(200)),
  accepted("one that was used already", { counter: 4_294_967_295 }, { counter: 4_294_967_295 }),
  accepted("one of a device nobody says how to reach", { transports: [] }, { transports: [] }),
  accepted(
    "one that can be reached in ways to come",
    { transports: ["x".repeat(32)] },
    {
      transports: ["x".repeat(32)],
    },
  ),
  accepted("one with the shortest id", { idBytes: 16 }),
  accepted("one with the longest id", { idBytes: 1_023 }),
  accepted(
    "the largest: RSA, the longest id and name",
    {
      key: largestRsa,
      idBytes: 1_023,
    },
    {},
    "😀".repeat(200),
  ),

  rejected("one of another origin", { origin: "https://evil.example.com" }),
  rejected("one of another port", { origin: "https://iam.example.com:8443" }),
  rejected("one of another scheme", { origin: "http://iam.example.com" }),
  rejected("one of a site above", { origin: "https://example.com" }),
  rejected("one of another site", { rpId: "example.com" }),
  rejected("one with another challenge", { challenge: "AAAA" }),
  rejected("one without a challenge", { challenge: "" }),
  rejected("one that was to log in", { type: "webauthn.get" }),
  rejected("one without a type", { type: "" }),
  rejected("one of nobody in particular", { flags: allFlags & ~verified }),
  rejected("one that nobody was there for", { flags: allFlags & ~present }),
  rejected("one without a key", { flags: present | verified }),
  rejected("one with a key for something else", { key: ellipticKey(1, -65_535) }),
  rejected("one with a key that is none", { key: new Map([[1, 2]]) }),
  rejected("one with a key of ML-DSA, which was not offered", { key: latticeKey() }),
  rejected("one with a key of another curve", { key: ellipticKey(2) }),
  rejected("one with a key of another kind", { key: ellipticKey(1, -257) }),
  rejected("one with a point off the curve", {
    key: new Map([...ellipticKey(), [-3, new Uint8Array(32).fill(1)]]),
  }),
  rejected("one with half a point", { key: new Map([...ellipticKey()].slice(0, -1)) }),
  rejected("one with a short key of RSA", { key: rsaKey(1_024) }),
  rejected("one that says where it comes from in no known way", { format: "other" }),
  rejected("one that says something of nothing", { statement: new Map([["a", 1]]) }),
  rejected("one whose signature is missing", { format: "packed" }),
  rejected("one with an id of 15 bytes", { idBytes: 15 }),
  rejected("one with an id of 1024 bytes", { idBytes: 1_024 }),
  rejected("one with ways to reach it that are none", { transports: { usb: true } }),
  rejected("one with null for ways to reach it", { transports: null }),
  rejected("one with a number for a way to reach it", { transports: ["usb", 1] }),
  rejected("one with too long a way to reach it", { transports: ["x".repeat(33)] }),
  rejected("one with 17 ways to reach it", { transports: Array(17).fill("usb") }),
  rejected("one that is no key", { more: { type: "password" } }),
  rejected("one whose ids differ", { more: { rawId: "AAAA" } }),
  rejected("nothing", () => ({})),
  rejected("nothing with names of the form that it came in", () => ({ fields: { kind: {} } })),
  rejected("texts in place of objects", () => ({ id: "a", rawId: "a", response: "b" })),
  rejected("lists in lists", () => ({ a: JSON.parse("[".repeat(40) + "]".repeat(40)) })),
  rejected("bytes that are none", ({ response, ...rest }) => ({
    ...rest,
    response: { ...(response as JsonObject), attestationObject: "😀" },
  })),
  rejected("bytes that end too soon", ({ response, ...rest }) => {
    const { attestationObject, ...other } = response as JsonObject;
    return {
      ...rest,
      response: { ...other, attestationObject: String(attestationObject).slice(0, -8) },
    };
  }),
]);
