import { expect, test } from "@jest/globals";
import { type InstanceEvent, type InstanceState, instance } from "../../src/domain/instance.ts";
import {
  addFirstKey,
  bySigning,
  type SigningKey,
  sealSigningAnew,
} from "../../src/domain/signing.ts";

const key = (keyId: string): SigningKey => ({
  ...{
    keyId,
    algorithm: "RS256",
    publicKey: { kty: "RSA", n: keyId, e: "AQAB" },
    privateKey: `sealed ${keyId}`,
  },
});
const setUp: InstanceEvent = {
  type: "instance.set.up",
  payload: { organization: "org", project: "project", owner: "user" },
};

function given(...events: readonly InstanceEvent[]): InstanceState {
  const state = [setUp, ...events].reduce<InstanceState | undefined>(
    (before, event, timeMs) => instance.evolve(before, { ...event, owner: "", actor: "", timeMs }),
    undefined,
  );
  if (state === undefined) throw new Error("the instance is gone");
  return state;
}

const add = (keyId: string): InstanceEvent => ({
  type: "instance.signing.key.added",
  payload: key(keyId),
});
const activate = (keyId: string): InstanceEvent => ({
  type: "instance.signing.key.activated",
  payload: { keyId },
});

test("the first key signs at once, and is the only first one", () => {
  const { events } = addFirstKey(given(), key("one"));
  expect(events.instance).toEqual([add("one"), activate("one")]);
  expect(addFirstKey(given(add("one")), key("two"))).toEqual({ events: {} });
  expect(addFirstKey(undefined, key("one"))).toEqual({ events: {} });
});

test("the key that was activated last signs, and those that are retired are gone", () => {
  const retired: InstanceEvent = {
    type: "instance.signing.key.retired",
    payload: { keyId: "one" },
  };
  const idsOf = (state: InstanceState) =>
    bySigning(state.signingKeys ?? []).map((one) => one.keyId);
  const added = [add("one"), activate("one"), add("two")];
  expect(idsOf(given(...added))).toEqual(["one", "two"]);
  expect(idsOf(given(...added, activate("two")))).toEqual(["two", "one"]);
  expect(idsOf(given(...added, activate("two"), retired))).toEqual(["two"]);
});

test("a key is sealed anew where it is there still", () => {
  const sealed = { from: "sealed one", to: "anew" };
  const { events } = sealSigningAnew(given(add("one")), sealed);
  const anew: InstanceEvent = {
    type: "instance.signing.key.sealed",
    payload: { keyId: "one", privateKey: "anew" },
  };
  expect(events.instance).toEqual([anew]);
  expect(given(add("one"), anew).signingKeys).toEqual([{ ...key("one"), privateKey: "anew" }]);
  expect(sealSigningAnew(given(), sealed)).toEqual({ events: {} });
});
