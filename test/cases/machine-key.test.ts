import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { KeyType } from "../../gen/iam/authn/v1/key_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { keysMax } from "../../src/domain/key.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { recorded, someClients } from "./given.ts";
import { type Change, changeRows, type Lookup, lookupRows } from "./lookups.ts";
import { detailsOf, fact } from "./stored.ts";
import { change, givenHuman, givenInactive, outrank } from "./users.ts";

const { addMachineKey, listMachineKeys, removeMachineKey } = ManagementService.method;

/** A time in the future, so far off that no run of the tests sees it pass. */
const futureMs = Date.UTC(2999, 11, 31, 23, 59, 59, 999);
const keyNotFound = { code: 5, reason: "KEY_NOT_FOUND" };
const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

const keyAdded = (keyId: string, more: object = {}): UserEvent => ({
  type: "user.machine.key.added",
  payload: { keyId, publicKey, ...more },
});

/** A machine of an organization, made a while ago, with the keys that are told. */
function givenMachine(
  { server }: Pick<World, "server">,
  keys: readonly UserEvent[] = [],
  organization = server.admin.organization,
): Promise<string> {
  const names = { userName: crypto.randomUUID(), name: "Robot", description: "" };
  const added = { ...names, accessTokenType: "BEARER" } as const;
  return recorded(server, user, organization, [
    { type: "user.machine.added", payload: added },
    ...keys,
  ]);
}

const lookup = {
  ...{ noun: user, notFound: { code: 5, reason: "USER_NOT_FOUND" } },
  given: (world, { organization }) => givenMachine(world, [keyAdded("k")], organization),
  request: (userId) => ({ userId }),
  removal: change("user.removed"),
} satisfies Partial<Lookup>;

/** A public key of a number of so many bits, which nobody has the private part of. */
function given(bits: number, e = "AQAB"): string {
  const modulus = (1n << BigInt(bits - 1)) + 1n;
  const n = Buffer.from(modulus.toString(16).padStart(Math.ceil(bits / 8) * 2, "0"), "hex");
  const key = { kty: "RSA", n: n.toString("base64url"), e };
  return createPublicKey({ key, format: "jwk" }).export({ format: "pem", type: "spki" }).toString();
}
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
const forCurve = curve.publicKey.export({ format: "pem", type: "spki" }).toString();
const ofOwn = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ownPEM = ofOwn.publicKey.export({ format: "pem", type: "spki" }).toString();
const secret = ofOwn.privateKey.export({ format: "pem", type: "pkcs1" }).toString();

runCases("AddMachineKey", [
  ...lookupRows({ ...lookup, method: addMachineKey }),
  ...(
    [
      ["a machine", {}, {}],
      ["a machine, as JSON", { type: KeyType.JSON }, {}],
      ["one, until it ends", { expirationDate: timestampFromMs(futureMs) }, { futureMs }],
    ] as const
  ).map(
    ([what, asked, { futureMs: expirationMs }]: readonly [string, object, { futureMs?: number }]) =>
      row(`makes a key for ${what}`, addMachineKey, async (world) => {
        const userId = await givenMachine(world);
        const { organization: owner, userId: actor } = world.server.admin;
        return {
          request: { userId, ...asked },
          expected: {
            ok({ keyId, details, keyDetails }, events) {
              const file = JSON.parse(Buffer.from(keyDetails).toString()) as {
                readonly key: string;
              };
              const key = expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----\n/);
              expect(file).toEqual({ type: "serviceaccount", keyId, key, userId });
              const { n, e } = createPublicKey(createPrivateKey(file.key)).export({
                format: "jwk",
              });
              const ending = expirationMs === undefined ? {} : { expirationMs };
              const payload = { keyId, publicKey: { kty: "RSA", n, e }, ...ending };
              const written = { version: 2, type: "user.machine.key.added", owner, actor, payload };
              expect(events.map(fact)).toEqual([{ stream: `user-${userId}`, ...written }]);
              expect(details).toMatchObject(detailsOf(events));
            },
          },
        };
      }),
  ),
  ...(
    [
      ["of a caller", ownPEM],
      ["of a caller, as PKCS #1", ofOwn.publicKey.export({ format: "pem", type: "pkcs1" })],
      ["of a caller, as large as they may be", given(4_096)],
    ] as const
  ).map(([what, pem]) =>
    row(`takes a public key ${what}, and answers no private one`, addMachineKey, async (world) => ({
      request: { userId: await givenMachine(world), publicKey: Buffer.from(pem) },
      expected: {
        ok({ keyId, keyDetails }, events) {
          const { n, e } = createPublicKey(pem).export({ format: "jwk" });
          expect(fact(events[0]!).payload).toEqual({ keyId, publicKey: { kty: "RSA", n, e } });
          expect(keyDetails).toHaveLength(0);
        },
      },
    })),
  ),
  ...(
    [
      ["of fewer bits", given(2_047)],
      ["of more bits", given(4_097)],
      ["of another exponent", given(2_048, "Aw")],
      ["of a curve", forCurve],
      ["for one signature alone", forPSS()],
      ["that is the private part", secret],
      ["with the private part behind it", ownPEM + secret],
      ["twice", ownPEM + ownPEM],
      ["that is none", ownPEM.replace("MIIB", "AAAA")],
      ["of no form", "key"],
    ] as const
  ).map(([what, pem]) =>
    row(`refuses a key ${what}`, addMachineKey, async (world) => ({
      request: { userId: await givenMachine(world), publicKey: Buffer.from(pem) },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["public_key"] },
    })),
  ),
  row("adds a key to the others, as many as there may be", addMachineKey, async (world) => {
    const ids = idsOf(keysMax - 1);
    const userId = await givenMachine(
      world,
      ids.map((id) => keyAdded(id)),
    );
    return {
      request: { userId },
      expected: {
        async ok({ keyId }) {
          const [stored] = await world.server.store.load([`user-${userId}`]);
          const { keys } = JSON.parse(stored!.state!) as { readonly keys: object };
          expect(Object.keys(keys)).toEqual([...ids, keyId]);
        },
      },
    };
  }),
  row("gives an inactive machine one", addMachineKey, async ({ server }) => {
    const { userId } = await givenInactive(server, server.admin.organization);
    return {
      request: { userId },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("refuses one key more", addMachineKey, async (world) => ({
    request: {
      userId: await givenMachine(
        world,
        idsOf(keysMax).map((id) => keyAdded(id)),
      ),
    },
    expected: {
      ...{ code: 8, reason: "LIMIT_REACHED" },
      message: `The user has ${keysMax} keys: remove one first.`,
    },
  })),
  row("refuses a time in the past", addMachineKey, async (world) => ({
    request: {
      userId: await givenMachine(world),
      expirationDate: timestampFromMs(Date.now() - 86_400_000),
    },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["expiration_date"] },
  })),
  ...refusals(addMachineKey),
]);

runCases("ListMachineKeys", [
  ...lookupRows({ ...lookup, method: listMachineKeys }),
  row("shows the newest first, those that have ended too", listMachineKeys, async (world) => ({
    request: {
      userId: await givenMachine(world, [keyAdded("k1", { expirationMs: 1_000 }), keyAdded("k2")]),
    },
    expected: {
      ok({ result, details }) {
        const { organization: resourceOwner } = world.server.admin;
        expect(result.map(({ id, type, expirationDate }) => [id, type, expirationDate])).toEqual([
          ["k2", KeyType.JSON, undefined],
          ["k1", KeyType.JSON, timestampFromMs(1_000)],
        ]);
        expect(result[0]?.details).toMatchObject({ resourceOwner });
        expect(details?.totalResult).toBe(2n);
      },
    },
  })),
  row("shows a page, the oldest first", listMachineKeys, async (world) => ({
    request: {
      userId: await givenMachine(
        world,
        idsOf(3).map((id) => keyAdded(id)),
      ),
      query: { asc: true, offset: 1n, limit: 1 },
    },
    expected: {
      ok({ result, details }) {
        expect(result.map(({ id }) => id)).toEqual(["k1"]);
        expect(details?.totalResult).toBe(3n);
      },
    },
  })),
  row("shows none of a person", listMachineKeys, async ({ server }) => ({
    request: { userId: await givenHuman(server, server.admin.organization) },
    expected: {
      ok: ({ result, details }) => expect([result, details?.totalResult]).toEqual([[], 0n]),
    },
  })),
  row("refuses a page token, which this list has none of", listMachineKeys, async (world) => ({
    request: { userId: await givenMachine(world), query: { pageToken: "x" } },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["query.page_token"] },
  })),
]);

runCases("RemoveMachineKey", [
  ...changeRows({
    ...lookup,
    ...{ method: removeMachineKey, type: "user.machine.key.removed", again: keyNotFound },
    request: (userId) => ({ userId, keyId: "k" }),
    payload: () => ({ keyId: "k" }),
  } satisfies Change),
  row("leaves the others, and makes room", removeMachineKey, async (world) => {
    const userId = await givenMachine(
      world,
      idsOf(keysMax).map((id) => keyAdded(id)),
    );
    return {
      request: { userId, keyId: "k0" },
      expected: {
        async ok() {
          expect(await world.call(addMachineKey, { userId })).toMatchObject({ ok: true });
        },
      },
    };
  }),
  ...["other", "__proto__"].map((keyId) =>
    row(`refuses a key that is not there: ${keyId}`, removeMachineKey, async (world) => ({
      request: { userId: await givenMachine(world, [keyAdded("k")]), keyId },
      expected: keyNotFound,
    })),
  ),
  ...refusals(removeMachineKey, { keyId: "k" }),
]);

/** A person has none, and who holds less than the user learns nothing of its keys. */
function refusals(method: DescMethodUnary, more: object = {}) {
  return [
    row(
      `${method.name} refuses a person`,
      method,
      async ({ server }) => ({
        request: { userId: await givenHuman(server, server.admin.organization), ...more },
        expected: { code: 9, reason: "USER_NOT_MACHINE" },
      }),
      someClients,
    ),
    row(
      `${method.name} refuses who holds less`,
      method,
      async ({ server }) => {
        const { userId } = await givenUser(server, server.admin.organization);
        return {
          request: { userId, ...more },
          token: await outrank(server, userId),
          expected: { code: 7, reason: "ESCALATION_DENIED" },
        };
      },
      someClients,
    ),
  ];
}

/** An RSA key that is for RSASSA-PSS alone. */
function forPSS(): string {
  const { publicKey } = generateKeyPairSync("rsa-pss", { modulusLength: 2_048 });
  return publicKey.export({ format: "pem", type: "spki" }).toString();
}
