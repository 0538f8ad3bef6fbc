import { describe, expect, test } from "@jest/globals";
import {
  type MetadataEvent,
  type MetadataState,
  metadata,
  metadataLimits,
  removeMetadata,
  setMetadata,
} from "../../../src/domain/user/metadata.ts";
import { fc } from "../../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "../laws.ts";
import { home, inactive, manager, orgOwner, userWith } from "./users.ts";

const acted = { organization: home, userId: "user" };
const state: MetadataState = { userId: "user", key: "plan", value: "Z29sZA==" };
const acting = { user: userWith(), caller: manager, metadata: undefined };
const { keysOfUser: most } = metadataLimits;

describe("setMetadata", () => {
  const decide = (given: object = {}, held = 0) =>
    setMetadata({ ...acting, held, ...given }, { ...acted, ...state });

  test.each([
    ["a key", {}, 0],
    ["the last key that there is room for", {}, most - 1],
    ["another value, with no room for a key", { metadata: { ...state, value: "c2ls" } }, most],
    ["a key of a user who is out of use", { user: inactive(userWith()) }, 0],
  ])("records %s", (_, given, held) => {
    const event = { type: "user.metadata.set", payload: state };
    expect(decide(given, held)).toEqual({ events: { metadata: [event] } });
  });

  test.each([
    ["one key more", {}, most, "LIMIT_REACHED"],
    ["the same value", { metadata: state }, 1, "NOTHING_CHANGED"],
    ["nobody", { user: undefined }, 0, "USER_NOT_FOUND"],
    ["a user elsewhere", { user: userWith({ organization: "b" }) }, 0, "USER_NOT_FOUND"],
    ["who holds more", { user: orgOwner, metadata: state }, 1, "ESCALATION_DENIED"],
    ["a caller who is gone", { user: manager, caller: undefined }, 0, "ESCALATION_DENIED"],
  ])("refuses %s", (_, given, held, reason) => {
    const { events, rejection } = decide(given, held);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("removeMetadata", () => {
  const decide = (given: object = {}) =>
    removeMetadata({ ...acting, metadata: state, ...given }, acted);

  test("records that the key goes", () => {
    const event = { type: "user.metadata.erased", payload: {} };
    expect(decide()).toEqual({ events: { metadata: [event] } });
  });

  test.each([
    ["a key that is not there", { metadata: undefined }, "USER_METADATA_NOT_FOUND"],
    ["nobody", { user: undefined }, "USER_NOT_FOUND"],
    ["who holds more", { user: orgOwner }, "ESCALATION_DENIED"],
  ])("refuses %s", (_, given, reason) => {
    const { events, rejection } = decide(given);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("the state", () => {
  const envelope = { owner: home, actor: "x", timeMs: 1 };

  test("is listed under its user, by its key, whose claim keeps the case", () => {
    const cased = { ...state, key: "Plan" };
    expect(metadata.row(cased)).toEqual({ parent: "user", fields: { key: "Plan" } });
    expect(metadata.claims(cased)).toEqual([
      { kind: "metadata.key", scope: "user", value: "Plan" },
    ]);
  });

  test("is gone when removed, also where nothing before can be read", () => {
    const removed = { type: "user.metadata.erased", payload: {}, ...envelope } as const;
    expect(metadata.evolve(state, removed)).toBeUndefined();
    expect(metadata.evolve(undefined, removed)).toBeUndefined();
  });
});

describe("laws", () => {
  const command = fc
    .record({
      value: fc.option(text(40), { nil: undefined }),
      held: fc.nat(most),
      caller: fc.constantFrom(undefined, manager, orgOwner),
    })
    .map<LifeCommand<MetadataState, MetadataEvent>>(({ value, held, caller }) => (known) => {
      const given = { ...acting, caller, metadata: known };
      const { events, rejection } =
        value === undefined
          ? removeMetadata(given, acted)
          : setMetadata({ ...given, held }, { ...acted, ...state, value });
      return { events: events.metadata ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(metadata, command);
});
