import { createPrivateKey, createPublicKey } from "node:crypto";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { KeyType } from "../../gen/iam/authn/v1/key_pb.js";
import type { AddAppKeyResponse } from "../../gen/iam/management/v1/app_key_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app } from "../../src/domain/app/app.ts";
import { keysMax } from "../../src/domain/key.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import {
  type AppSettings,
  apiConfig,
  givenAppOf,
  oidcConfig,
  samlConfig,
  someClients,
} from "./given.ts";
import { type Change, changeRows, type Lookup, lookupRows, type Spot } from "./lookups.ts";
import { detailsOf, fact, granted } from "./stored.ts";

const { addAppKey, getAppKey, listAppKeys, removeAppKey } = ManagementService.method;

/** A time in the future, so far off that no run of the tests sees it pass. */
const futureMs = Date.UTC(2999, 11, 31, 23, 59, 59, 999);
const keyNotFound = { code: 5, reason: "KEY_NOT_FOUND" };
const withoutKeys = { code: 9, reason: "APP_WITHOUT_KEYS" };
const byKey = { authMethod: "PRIVATE_KEY_JWT" } as const;
const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;

const keyAdded = (keyId: string, ending: object = {}): AppSettings => ({
  type: "project.application.key.added",
  payload: { keyId, publicKey, ...ending },
});

/** An application of the first organization, with the keys that are told. */
function givenKeys({ server, project: projectId }: World, ...keys: readonly AppSettings[]) {
  const { organization } = server.admin;
  return givenAppOf(server, organization, { projectId }, apiConfig(byKey), ...keys);
}

const lookup = {
  ...{ noun: app, notFound: { code: 5, reason: "APP_NOT_FOUND" } },
  given: ({ server }: World, { organization, project: projectId }: Spot) =>
    givenAppOf(server, organization, { projectId }, oidcConfig(byKey), keyAdded("k")),
  removal: { type: "project.application.removed", payload: {} },
} satisfies Partial<Lookup>;
const named =
  (more: object) =>
  (appId: string, { project: projectId }: Spot) => ({
    ...{ projectId, appId },
    ...more,
  });

runCases("AddAppKey", [
  ...lookupRows({ ...lookup, method: addAppKey, request: named({}) }),
  added("an OIDC application", oidcConfig(byKey), {}),
  added("an API application", apiConfig(byKey), { type: KeyType.JSON }),
  added("a client, until it ends", apiConfig(byKey), { expirationDate: timestampFromMs(futureMs) }),
  row("adds a key to the others, as many as there may be", addAppKey, async (world) => {
    const { project: projectId } = world;
    const keys = Array.from({ length: keysMax - 1 }, (_, index) => keyAdded(`k${index}`));
    const appId = await givenKeys(world, ...keys);
    return {
      request: { projectId, appId },
      expected: {
        async ok({ id }) {
          const state = await stateOf(world, appId);
          expect(Object.keys(state.keys)).toEqual([...keys.map((_, index) => `k${index}`), id]);
        },
      },
    };
  }),
  refused("one key more", async (world) => {
    const keys = Array.from({ length: keysMax }, (_, index) => keyAdded(`k${index}`));
    const request = { projectId: world.project, appId: await givenKeys(world, ...keys) };
    return { request, expected: { code: 8, reason: "LIMIT_REACHED" } };
  }),
  refused("a time in the past", async (world) => ({
    request: {
      ...{ projectId: world.project, appId: await givenKeys(world) },
      expirationDate: timestampFromMs(Date.now() - 86_400_000),
    },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["expiration_date"] },
  })),
  ...(
    [
      ["a client that has a secret", () => oidcConfig()],
      ["an API client that has a secret", () => apiConfig()],
      ["a public client", () => oidcConfig({ authMethod: "NONE" })],
      ["a SAML application", () => samlConfig(v7())],
    ] as const
  ).map(([what, settings]) =>
    refused(what, async ({ server, project: projectId }) => {
      const { organization } = server.admin;
      const appId = await givenAppOf(server, organization, { projectId }, settings());
      return { request: { projectId, appId }, expected: withoutKeys };
    }),
  ),
]);

runCases("GetAppKey", [
  ...lookupRows({ ...lookup, method: getAppKey, request: named({ keyId: "k" }) }),
  row("shows a key, without its private part", getAppKey, async (world) => {
    const { project: projectId, call, server } = world;
    const appId = await givenKeys(world);
    const expirationDate = timestampFromMs(futureMs);
    const made = granted<AddAppKeyResponse>(
      await call(addAppKey, { projectId, appId, expirationDate }),
    );
    return {
      request: { projectId, appId, keyId: made.id },
      expected: {
        ok({ key }) {
          expect(key).toMatchObject({ id: made.id, type: KeyType.JSON, expirationDate });
          const { creationDate } = made.details!;
          const { organization: resourceOwner } = server.admin;
          const details = { creationDate, changeDate: creationDate, resourceOwner };
          expect(key?.details).toMatchObject(details);
        },
      },
    };
  }),
  row("shows a key that does not end", getAppKey, async (world) => ({
    request: { projectId: world.project, appId: await givenKeys(world, keyAdded("k")), keyId: "k" },
    expected: { ok: ({ key }) => expect(key?.expirationDate).toBeUndefined() },
  })),
  ...missing(getAppKey),
]);

runCases("ListAppKeys", [
  ...lookupRows({ ...lookup, method: listAppKeys, request: named({}) }),
  row("shows the newest first, those that have ended too", listAppKeys, async (world) => ({
    request: {
      projectId: world.project,
      appId: await givenKeys(world, keyAdded("k1", { expirationMs: 1_000 }), keyAdded("k2")),
    },
    expected: {
      ok({ result, details }) {
        expect(result.map(({ id, expirationDate }) => [id, expirationDate?.seconds])).toEqual([
          ["k2", undefined],
          ["k1", 1n],
        ]);
        expect(details?.totalResult).toBe(2n);
      },
    },
  })),
  row("shows a page, the oldest first", listAppKeys, async (world) => ({
    request: {
      projectId: world.project,
      appId: await givenKeys(world, ...["k1", "k2", "k3"].map((id) => keyAdded(id))),
      query: { asc: true, offset: 1n, limit: 1 },
    },
    expected: {
      ok({ result, details }) {
        expect(result.map(({ id }) => id)).toEqual(["k2"]);
        expect(details?.totalResult).toBe(3n);
      },
    },
  })),
  row("shows none of a SAML application", listAppKeys, async ({ server, project: projectId }) => {
    const { organization } = server.admin;
    const appId = await givenAppOf(server, organization, { projectId }, samlConfig(v7()));
    return {
      request: { projectId, appId },
      expected: {
        ok: ({ result, details }) => expect([result, details?.totalResult]).toEqual([[], 0n]),
      },
    };
  }),
  row("refuses a page token, which this list has none of", listAppKeys, async (world) => ({
    request: {
      ...{ projectId: world.project, appId: await givenKeys(world) },
      query: { pageToken: "x" },
    },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["query.page_token"] },
  })),
]);

runCases("RemoveAppKey", [
  ...changeRows({
    ...lookup,
    ...{ method: removeAppKey, type: "project.application.key.removed", again: keyNotFound },
    request: named({ keyId: "k" }),
    payload: () => ({ keyId: "k" }),
  } satisfies Change),
  row("leaves the others, and makes room", removeAppKey, async (world) => {
    const { project: projectId, call } = world;
    const ids = Array.from({ length: keysMax }, (_, index) => `k${index}`);
    const appId = await givenKeys(world, ...ids.map((id) => keyAdded(id)));
    return {
      request: { projectId, appId, keyId: "k0" },
      expected: {
        async ok() {
          expect(Object.keys((await stateOf(world, appId)).keys)).toEqual(ids.slice(1));
          expect(await call(addAppKey, { projectId, appId })).toMatchObject({ ok: true });
        },
      },
    };
  }),
  ...missing(removeAppKey),
]);

function added(
  what: string,
  settings: AppSettings,
  given: { readonly type?: KeyType; readonly expirationDate?: { readonly seconds: bigint } },
): Case {
  return row(`makes a key for ${what}`, addAppKey, async (world) => {
    const { server, project: projectId } = world;
    const { organization: owner, userId: actor } = server.admin;
    const clientId = v7();
    const own = { ...settings, payload: { ...settings.payload, clientId } } as AppSettings;
    const appId = await givenAppOf(server, owner, { projectId }, own);
    return {
      request: { projectId, appId, ...given },
      expected: {
        ok({ id, details, keyDetails }, events) {
          const file = JSON.parse(Buffer.from(keyDetails).toString()) as { readonly key: string };
          expect(file).toEqual({
            ...{ type: "application", keyId: id, appId, clientId },
            key: expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----\n/),
          });
          const { n, e } = createPublicKey(createPrivateKey(file.key)).export({ format: "jwk" });
          const ending = given.expirationDate ? { expirationMs: futureMs } : {};
          const payload = { keyId: id, publicKey: { kty: "RSA", n, e }, ...ending };
          const type = "project.application.key.added";
          const stream = `app-${appId}`;
          expect(events.map(fact)).toEqual([{ stream, version: 3, type, owner, actor, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  });
}

/** Keys that the application does not have. */
function missing(method: DescMethodUnary): readonly Case[] {
  const ids = { unknown: v7(), "of another application": "other", "of an object": "__proto__" };
  return Object.entries(ids).map(([what, keyId]) =>
    row(
      `${method.name} refuses a key that is ${what}`,
      method,
      async (world) => {
        await givenKeys(world, keyAdded("other"));
        const appId = await givenKeys(world, keyAdded("k"));
        return { request: { projectId: world.project, appId, keyId }, expected: keyNotFound };
      },
      someClients,
    ),
  );
}

function refused(what: string, given: Parameters<typeof row>[2]): Case {
  return row(`refuses ${what}, and makes no key`, addAppKey, given, someClients);
}

async function stateOf({ server }: World, appId: string) {
  const [stored] = await server.store.load([`app-${appId}`]);
  return JSON.parse(stored!.state!) as { readonly keys: object };
}
