import { describe, expect, test } from "@jest/globals";
import {
  type Comer,
  comerLimits,
  comerOf,
  isVouchedFor,
  shapeComer,
  withChosen,
} from "../../src/domain/comer.ts";
import { metadataLimits } from "../../src/domain/user/metadata.ts";

const said = {
  ...{ displayName: "Ada", userName: "ada", firstName: "Ada", lastName: "Lovelace" },
  ...{ email: "ada@example.com", isEmailVerified: true, preferredLanguage: "en" },
};
const ada = comerOf(said);

const shape = (...effects: readonly (readonly [kind: string, value: unknown, name?: string])[]) =>
  shapeComer(ada, {
    actionId: "a",
    effects: effects.map(([kind, value, name = ""]) => ({ kind, value, name })),
  });

describe("what an action asks for", () => {
  test.each<readonly [string, unknown, Partial<Comer>]>([
    ["setFirstName", "Grace", { firstName: "Grace" }],
    ["setFirstName", "", {}],
    ["setFirstName", 7, {}],
    ["setFirstName", "\u202eecarG", {}],
    ["setFirstName", "x".repeat(201), {}],
    ["setLastName", " Hopper ", { lastName: "Hopper" }],
    ["setNickName", "G", { nickName: "G" }],
    ["setDisplayName", "Grace Hopper", { displayName: "Grace Hopper" }],
    ["setPreferredUsername", "grace", { userName: "grace" }],
    ["setUsername", "grace", { userName: "grace" }],
    ["setPreferredLanguage", "de-CH", { preferredLanguage: "de-CH" }],
    ["setPreferredLanguage", "no language", {}],
    ["setGender", 2, { gender: "MALE" }],
    ["setGender", "DIVERSE", { gender: "DIVERSE" }],
    ["setGender", 4, {}],
    ["setEmail", "grace@example.com", { email: "grace@example.com", isEmailVerified: false }],
    ["setEmail", "ada@example.com", {}],
    ["setEmail", "no address", {}],
    ["setEmailVerified", true, {}],
    ["setEmailVerified", "true", {}],
    ["setEmailVerified", false, { isEmailVerified: false }],
    ["setPhone", "+41791234567", { phone: "+41791234567" }],
    ["setPhone", "079 123 45 67", {}],
    ["setPhoneVerified", true, { phoneVerifiedBy: "a" }],
    ["toString", "x", {}],
    ["__proto__", "x", {}],
  ])("by %s of %j", (kind, value, changed) => {
    expect(shape([kind, value])).toEqual({ ...ada, ...changed });
  });

  test("is that an address of its own is verified", () => {
    const shaped = shape(["setEmail", "grace@example.com"], ["setEmailVerified", true]);
    expect(shaped).toMatchObject({ isEmailVerified: false, emailVerifiedBy: "a" });
    expect(isVouchedFor(shaped, "grace@example.com")).toBe(true);
    expect(isVouchedFor(shaped, "ada@example.com")).toBe(false);
  });

  test("is metadata, up to the limit", () => {
    const { metadata: most } = comerLimits;
    const asked = Array.from(
      { length: most + 1 },
      (_, i) => ["appendMetadata", i, `${i}`] as const,
    );
    const { metadata } = shape(...asked);
    expect(metadata).toHaveLength(most);
    expect(metadata[0]).toEqual({ actionId: "a", key: "0", value: 0 });
  });

  test("is no metadata that would not be kept with the person", () => {
    const largest = "é".repeat(metadataLimits.valueBytes / 2);
    const { metadata } = shape(
      ...(["_a", "a\0", ".."] as const).map((key) => ["appendMetadata", 1, key] as const),
      ["appendMetadata", `${largest}x`, "text"],
      ["appendMetadata", [largest], "list"],
      ["appendMetadata", "", "empty"],
      ["appendMetadata", largest, "kept"],
    );
    expect(metadata).toEqual([{ actionId: "a", key: "kept", value: largest }]);
  });
});

describe("what somebody types", () => {
  const account = { userName: "ada", firstName: "Ada", lastName: "L", email: "ada@example.com" };

  test("keeps what is verified of the same address", () => {
    const comer = withChosen(ada, account);
    expect(isVouchedFor(comer, "ada@example.com")).toBe(true);
  });

  test("is vouched for by nobody where it is another one", () => {
    const byAction = { ...ada, isEmailVerified: false, emailVerifiedBy: "a" };
    for (const before of [ada, byAction]) {
      const comer = withChosen(before, { ...account, email: "victim@example.com" });
      expect(isVouchedFor(comer, "victim@example.com")).toBe(false);
    }
  });
});
