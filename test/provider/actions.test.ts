import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { acting, jwt, set, startActing } from "./acting.ts";
import type { Parties } from "./relying.ts";

// What the actions of an organization set in tokens, through whole logins.

let parties: Parties;
let acts: ReturnType<typeof acting>;

beforeAll(async () => {
  parties = await startActing();
  acts = acting(parties);
});
afterAll(() => parties.close());

describe("before userinfo", () => {
  test("claims come into the id token, userinfo and introspection", async () => {
    const there = await acts.given({
      4: [{ body: set("plan", '{ tier: "gold", who: ctx.v1.getUser().human.firstName }') }],
    });
    const { access, id } = await acts.tokensOf(there);
    const plan = { tier: "gold", who: "Ada" };
    expect(id).toMatchObject({ sub: there.person.userId, plan });
    expect((await acts.userinfo(access)).body).toMatchObject({ sub: there.person.userId, plan });
    expect((await acts.introspect(access)).body).toMatchObject({ active: true, plan });
  });

  test("actions run in their order, and the later sees what the first has set", async () => {
    const there = await acts.given({
      4: [
        { name: "one", body: set("a", "1") },
        { name: "two", body: `${set("b", "ctx.v1.claims.a + 1")} ${set("a", "9")}` },
      ],
    });
    const { body } = await acts.userinfo((await acts.tokensOf(there)).access);
    expect(body).toMatchObject({
      ...{ a: 1, b: 2 },
      "urn:iam:action:two:log": ['key "a" already exists'],
    });
    await acts.setActions(there.orgId, "4", there.ids["4"]?.toReversed() ?? []);
    const later = await acts.userinfo((await acts.tokensOf(there)).access);
    expect(later.body).toMatchObject({ a: 9 });
  });

  test("a script that says who somebody is, or what the protocol says, sets nothing", async () => {
    const names = [
      ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "sid", "acr", "amr", "azp"],
      ...["act", "cnf", "client_id", "scope", "auth_time", "at_hash", "c_hash", "typ", "groups"],
      ...["urn:iam:org:project:roles", "urn:zitadel:iam:org:project:roles", "email", "name"],
      ...["email_verified", "preferred_username", "phone_number", "updated_at", "picture"],
    ];
    const body = names.map((name) => set(name, '"forged"')).join(" ");
    const there = await acts.given({ 4: [{ body }], 5: [{ name: "other", body }] }, { made: jwt });
    const { access, id } = await acts.tokensOf(there);
    const told = [id, decodeJwt(access), (await acts.userinfo(access)).body];
    told.push((await acts.introspect(access)).body);
    for (const claims of told) {
      const forged = Object.entries(claims).filter(([, value]) => value === "forged");
      expect(forged).toEqual([]);
    }
    expect(told[2]).toMatchObject({ sub: there.person.userId, email: there.person.email });
    expect(told[3]).toMatchObject({ sub: there.person.userId, email: there.person.email });
  });

  test("an inactive and a removed action does not run from then on", async () => {
    const there = await acts.given({
      4: [
        { name: "one", body: set("a", "1") },
        { name: "two", body: set("b", "1") },
      ],
    });
    const { access } = await acts.tokensOf(there);
    const [one, two] = there.ids["4"] ?? [];
    expect((await acts.userinfo(access)).body).toMatchObject({ a: 1, b: 1 });
    await parties.call("POST", `/management/v1/actions/${one}/_deactivate`, {}, there.orgId);
    expect(Object.keys((await acts.userinfo(access)).body).toSorted()).toEqual([
      ...["b", "email", "email_verified", "sub"],
    ]);
    await parties.call("DELETE", `/management/v1/actions/${two}`, undefined, there.orgId);
    await parties.call("POST", `/management/v1/actions/${one}/_reactivate`, {}, there.orgId);
    expect((await acts.userinfo(access)).body).toMatchObject({ a: 1 });
    expect((await acts.userinfo(access)).body).not.toHaveProperty("b");
    await parties.call("POST", "/management/v1/flows/2/_clear", undefined, there.orgId);
    expect((await acts.userinfo(access)).body).not.toHaveProperty("a");
  });

  test("only the organization of the person runs its actions", async () => {
    const there = await acts.given({ 4: [{ body: set("a", "1") }] });
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const { access } = await acts.tokensOf({ ...there, app, person: person });
    expect((await acts.userinfo(access)).body).not.toHaveProperty("a");
  });
});

describe("before an access token", () => {
  test("claims come into a JWT, and nowhere else", async () => {
    const there = await acts.given({ 5: [{ body: set("plan", '"gold"') }] }, { made: jwt });
    const { access, id } = await acts.tokensOf(there);
    expect(decodeJwt(access)).toMatchObject({ plan: "gold", sub: there.person.userId });
    expect(id).not.toHaveProperty("plan");
    expect((await acts.userinfo(access)).body).not.toHaveProperty("plan");
  });

  test("an action logs into the claims", async () => {
    const body = 'api.v1.claims.appendLogIntoClaims("seen"); api.v1.claims.appendLogIntoClaims(1);';
    const there = await acts.given({ 5: [{ body }] }, { made: jwt });
    expect(decodeJwt((await acts.tokensOf(there)).access)).toMatchObject({
      "urn:iam:action:claim:log": ["seen", "1"],
    });
  });
});
