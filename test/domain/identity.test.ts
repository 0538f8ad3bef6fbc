import { describe, expect, test } from "@jest/globals";
import {
  accountNameOf,
  askedMsIn,
  type ClaimReading,
  externalUserIdCharacters,
  type Identity,
  identityOf,
  plainReading,
  type SaidClaims,
} from "../../src/domain/identity.ts";

const said = {
  ...{ sub: "42", name: "Ada Lovelace", given_name: "Ada", family_name: "Lovelace" },
  ...{ preferred_username: "ada", email: "ada@example.com", email_verified: true, locale: "en" },
};
const ada: Identity = {
  ...{ externalUserId: "42", displayName: "Ada Lovelace", userName: "ada", firstName: "Ada" },
  ...{ lastName: "Lovelace", email: "ada@example.com", isEmailVerified: true },
  preferredLanguage: "en",
};
const read = (claims: SaidClaims, reading: Partial<ClaimReading> = {}) =>
  identityOf({ ...said, ...claims }, { ...plainReading, ...reading });

test("who somebody is follows from the claims", () => {
  expect(read({})).toEqual(ada);
});

test.each<readonly [string, SaidClaims, Partial<Identity>]>([
  ["a name that is no text", { name: ["Ada"] }, {}],
  ["a name that turns what is around it", { given_name: "\u202eadA" }, { firstName: "" }],
  ["a name of two lines", { family_name: "Love\nlace" }, { lastName: "" }],
  ["a name that is too long", { preferred_username: "a".repeat(201) }, { userName: said.email }],
  ["no name as a whole", { name: undefined }, {}],
  ["no name at all", { name: "", given_name: "", family_name: "" }, noNames()],
  ["blanks at the ends", { given_name: " Ada " }, {}],
  ["an address that is none", { email: "ada" }, { email: "", isEmailVerified: false }],
  ["no address", { email: undefined }, { email: "", isEmailVerified: false }],
  ["no language", { locale: "not one" }, { preferredLanguage: "" }],
])("%s", (_, claims, changed) => {
  expect(read(claims)).toEqual({ ...ada, ...changed });
});

function noNames(): Partial<Identity> {
  return { displayName: "", firstName: "", lastName: "" };
}

test.each([
  [1_700_000_000, 1_700_000_000_000],
  ["1700000000", undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [undefined, undefined],
])("the provider asked at %s", (time, askedMs) => {
  expect(askedMsIn({ auth_time: time })).toBe(askedMs);
});

describe("the id", () => {
  const longest = "x".repeat(externalUserIdCharacters);
  test.each<readonly [string, SaidClaims, Partial<ClaimReading>, string | undefined]>([
    ["is sub", {}, {}, "42"],
    ["is as long as may be", { sub: longest }, {}, longest],
    ["is one too long", { sub: `${longest}x` }, {}, undefined],
    ["is empty", { sub: "" }, {}, undefined],
    ["is a number", { sub: 42 }, {}, undefined],
    ["is not there", { sub: undefined }, {}, undefined],
    ["turns what is around it", { sub: "4\u202e2" }, {}, undefined],
    ["is of a tenant", { tid: "t" }, { subject: "TENANT" }, "t:42"],
    ["is of no tenant", {}, { subject: "TENANT" }, undefined],
    ["is of a tenant that could be another", { tid: "t:4" }, { subject: "TENANT" }, undefined],
  ])("%s", (_, claims, reading, id) => {
    expect(read(claims, reading)?.externalUserId).toBe(id);
  });
});

describe("an address is verified", () => {
  test.each([
    [true, true],
    ["true", true],
    [1, false],
    ["1", false],
    [false, false],
    [undefined, false],
  ])("where email_verified is %j: %s", (value, isVerified) => {
    expect(read({ email_verified: value })?.isEmailVerified).toBe(isVerified);
  });

  test.each([
    [true, true],
    ["true", true],
    [1, true],
    ["1", true],
    ["0", false],
    [[1], false],
    ["0x1", false],
    [undefined, false],
  ])("at Entra where xms_edov is %j: %s", (value, isVerified) => {
    const claims = { xms_edov: value, email_verified: true };
    expect(read(claims, { verifies: "XMS_EDOV" })?.isEmailVerified).toBe(isVerified);
  });

  test("never where nothing may say so", () => {
    const claims = { xms_edov: true, email_verified: true };
    expect(read(claims, { verifies: "NEVER" })?.isEmailVerified).toBe(false);
  });
});

test.each<readonly [Partial<ClaimReading>, Partial<Identity>]>([
  [{ usernameMapping: "EMAIL" }, { userName: said.email }],
  [{ usernameMapping: "PREFERRED_USERNAME" }, { userName: "ada" }],
  [{ displayNameMapping: "EMAIL" }, { displayName: said.email }],
  [{ displayNameMapping: "PREFERRED_USERNAME" }, { displayName: "ada" }],
])("the mapping %j", (reading, changed) => {
  expect(read({}, reading)).toEqual({ ...ada, ...changed });
});

test("an account has a name, if only its id", () => {
  expect(accountNameOf(ada)).toBe("Ada Lovelace");
  const nobody = { ...ada, displayName: "", userName: "", email: "" };
  expect(accountNameOf(nobody)).toBe("42");
});
