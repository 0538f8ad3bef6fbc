import { hash } from "node:crypto";
import { instanceId } from "../../src/domain/instance.ts";
import { label } from "../../src/domain/policy/label.ts";
import { login } from "../../src/domain/policy/login.ts";
import { privacy } from "../../src/domain/policy/privacy.ts";
import type { NewEvent } from "../../src/event.ts";
import { attachmentDigest } from "../../src/store/attachment.ts";
import { givenJWTProvider, givenOIDCProvider } from "../cases/idps.ts";
import type { TestServer } from "../harness/server.ts";
import type { Given, RequestIds } from "./given.ts";

/** The policies of the world, which a row has as it needs them before each call. */

type Kind = keyof typeof kinds;
const kinds = { label, login, privacy };

/** The organization of the call has a policy of its own, which says what the default says. */
export const aPolicy =
  (kind: Kind): Given =>
  async ({ server }, { target }) => {
    await make(server, kinds[kind], { id: target, owner: target });
    return {};
  };

/** The same with an image, and with room for another. */
export const aPolicyWithImage: Given = async (maker, place) => {
  const { server } = maker;
  await aPolicy("label")(maker, place);
  const at = { kind: "logo", theme: "light", type: "image/png", policy: place.target } as const;
  const bytes = Buffer.from(place.target);
  const payload = { ...at, sha256: attachmentDigest(bytes) };
  await write(
    server,
    { noun: label.noun, id: place.target },
    () => [{ type: "policy.label.image.set", payload }],
    [bytes],
  );
  const key = `uploads:${hash("sha256", place.target, "base64url")}`;
  await server.store.artifacts.write([{ kind: "remove", key }], Date.now());
  return {};
};

/** It has none. */
export const noPolicy =
  (kind: Kind): Given =>
  async ({ server }, { target: id }) => {
    await write(server, { noun: kinds[kind].noun, id, owner: id }, (state) =>
      state === undefined ? [] : [{ type: `policy.${kind}.removed`, payload: {} }],
    );
    return {};
  };

/** The same with no second factor. */
export const aPolicyWithoutFactor: Given = async (maker, place) => {
  await aPolicy("login")(maker, place);
  await withoutFactor(maker.server, place.target);
  return {};
};

/** The default of the instance says what it says at first. */
export const theDefault =
  (kind: Kind): Given =>
  async ({ server }) => {
    const { organization } = server.admin;
    await make(server, kinds[kind], { id: instanceId, owner: organization });
    return { instead: organization };
  };

/** The same with no second factor. */
export const theDefaultWithoutFactor: Given = async (maker, place) => {
  const ids = await theDefault("login")(maker, place);
  await withoutFactor(maker.server, instanceId);
  return ids;
};

/** The organization of the call has a policy, and a provider of its own that this does not name. */
export const aPolicyBesideProvider: Given = async (maker, place) => {
  await aPolicy("login")(maker, place);
  return { idp: await givenOIDCProvider(maker.server, place.target, { clientSecret: "secret" }) };
};

/** The same, and the policy names it. */
export const aPolicyNamingProvider: Given = async (maker, place) => {
  const ids = await aPolicyBesideProvider(maker, place);
  await withProvider(maker.server, place.target, ids);
  return ids;
};

/** A provider serves the instance, whose default does not name it. */
export const theDefaultBesideProvider: Given = async (maker, place) => {
  const ids = await theDefault("login")(maker, place);
  return { ...ids, idp: await givenJWTProvider(maker.server, maker.server.admin.organization) };
};

/** The same, and the default names it. */
export const theDefaultNamingProvider: Given = async (maker, place) => {
  const ids = await theDefaultBesideProvider(maker, place);
  await withProvider(maker.server, instanceId, ids);
  return ids;
};

function withProvider(server: TestServer, id: string, { idp: idpId = "" }: RequestIds) {
  return write(server, { noun: login.noun, id }, () => [
    { type: "policy.login.idp.added", payload: { idpId } },
  ]);
}

async function make(
  server: TestServer,
  { name, noun, defaults }: (typeof kinds)[Kind],
  stream: { readonly id: string; readonly owner: string },
): Promise<void> {
  await write(server, { noun, ...stream }, (state) => [
    ...(state === undefined ? [] : [{ type: `policy.${name}.removed`, payload: {} }]),
    { type: `policy.${name}.${stream.id === instanceId ? "changed" : "added"}`, payload: defaults },
  ]);
}

function withoutFactor(server: TestServer, id: string): Promise<void> {
  const payload = { factor: "OTP" };
  return write(server, { noun: login.noun, id }, () => [
    { type: "policy.login.second.factor.removed", payload },
  ]);
}

/** Writes what is to be written to a policy in its state. */
async function write(
  { execute }: TestServer,
  policy: { readonly noun: object; readonly id: string; readonly owner?: string },
  eventsIn: (state: unknown) => readonly NewEvent[],
  attachments: readonly Uint8Array[] = [],
): Promise<void> {
  const { kind } = await execute({
    ...{ actor: "test", attachments },
    writes: { policy: policy as never },
    relies: {},
    decide: (states: { readonly policy?: unknown }) => ({
      events: { policy: eventsIn(states.policy) } as never,
    }),
  });
  if (kind !== "done") throw new Error(`the policy was not accepted: ${kind}`);
}
