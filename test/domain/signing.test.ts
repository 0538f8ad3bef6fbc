import { describe, expect, test } from "@jest/globals";
import { type InstanceEvent, type InstanceState, instance } from "../../src/domain/instance.ts";
import {
  addFirstKey,
  publishedAt,
  rotateSigning,
  type SigningKey,
  sealSigningAnew,
  signingLimits,
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
    publishedAt(state.signingKeys ?? [], 10).keys.map((one) => one.keyId);
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

describe("a rotation", () => {
  const { publishedMs, keptMs, keys: most } = signingLimits;
  const begun = given(add("one"), activate("one"));
  const rotated = (state: InstanceState, keyId: string, nowMs: number, isUrgent = false) => {
    const { events, rejection } = rotateSigning(state, { ...key(keyId), isUrgent }, nowMs);
    const after = (events.instance ?? []).reduce(
      (before, event) =>
        instance.evolve(before, { ...event, owner: "", actor: "", timeMs: nowMs }) ?? before,
      state,
    );
    return { after, rejection, types: events.instance?.map(({ type }) => type) };
  };
  const publishedIn = (state: InstanceState, nowMs: number) => {
    const { keys, untilMs } = publishedAt(state.signingKeys ?? [], nowMs);
    return [keys.map(({ keyId }) => keyId), untilMs];
  };

  test("publishes first, signs later, and keeps the key before as long as its tokens", () => {
    const { after, types } = rotated(begun, "two", 100);
    expect(types).toEqual(["instance.signing.key.added"]);
    const signsMs = 100 + publishedMs;
    const endsMs = signsMs + keptMs;
    expect(publishedIn(after, signsMs - 1)).toEqual([["one", "two"], signsMs]);
    expect(publishedIn(after, signsMs)).toEqual([["two", "one"], endsMs]);
    expect(publishedIn(after, endsMs - 1)).toEqual([["two", "one"], endsMs]);
    expect(publishedIn(after, endsMs)).toEqual([["two"], Number.POSITIVE_INFINITY]);
    const next = rotated(after, "three", endsMs);
    expect(next.types).toEqual(["instance.signing.key.added", "instance.signing.key.retired"]);
    expect(next.after.signingKeys?.map(({ keyId }) => keyId)).toEqual(["two", "three"]);
  });

  test("that is urgent leaves none of those before", () => {
    const { after } = rotated(rotated(begun, "two", 100).after, "three", 101, true);
    expect(publishedIn(after, 101)).toEqual([["three"], Number.POSITIVE_INFINITY]);
  });

  test("of none is the first key, which signs at once", () => {
    expect(publishedIn(rotated(given(), "one", 5).after, 5)[0]).toEqual(["one"]);
    expect(rotated(given(), "one", 5).after.signingKeys?.[0]?.activeMs).toBe(5);
  });

  test("is refused while as many are published as may be, unless it is urgent", () => {
    let state = begun;
    for (let count = 1; count < most; count += 1) state = rotated(state, `${count}`, count).after;
    expect(publishedIn(state, most)[0]).toHaveLength(most);
    expect(rotated(state, "more", most).rejection?.reason).toBe("LIMIT_REACHED");
    expect(publishedIn(rotated(state, "more", most, true).after, most)[0]).toEqual(["more"]);
  });
});
