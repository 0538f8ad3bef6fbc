import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { actionLimits } from "../../src/domain/action.ts";
import { setClaimLimits } from "../../src/domain/set-claims.ts";
import { acting, jwt, set, startActing } from "./acting.ts";
import type { Parties, Person } from "./relying.ts";

// What actions that fail do to tokens, and what of actions is bounded.

let parties: Parties;
let acts: ReturnType<typeof acting>;

beforeAll(async () => {
  parties = await startActing();
  acts = acting(parties);
});
afterAll(() => parties.close());

describe("an action that fails", () => {
  const body = 'let a;\nthrow new TypeError("a secret of the script");';

  test("refuses the token where it may not", async () => {
    const there = await acts.given({ 5: [{ body }] }, { made: jwt });
    await expect(acts.tokensOf(there)).rejects.toMatchObject({
      ...{ error: "access_denied", status: 400 },
      error_description: expect.stringContaining("An action failed"),
    });
    const [id = ""] = there.ids["5"] ?? [];
    const failed = await acts.eventsOf(`action-${id}`, "action.failed");
    expect(failed).toEqual([
      {
        ...{ actor: `action-${id}`, trigger: 5, errorClass: "TypeError" },
        ...{ line: 2, column: expect.any(Number) },
      },
    ]);
  });

  test("refuses userinfo and introspection, and tells no message", async () => {
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    await acts.setActions(there.orgId, "4", [await acts.givenAction(there.orgId, { body })]);
    for (const { status, body: told } of [
      await acts.userinfo(access),
      await acts.introspect(access),
    ]) {
      expect([status, told.error]).toEqual([403, "access_denied"]);
      expect(JSON.stringify(told)).not.toContain("secret of the script");
    }
  });

  test("is left out where it may, and the next one runs", async () => {
    const there = await acts.given({
      4: [
        { name: "one", body: `${set("a", "1")} ${body}`, allowedToFail: true },
        { name: "two", body: set("b", "1") },
      ],
    });
    const { access } = await acts.tokensOf(there);
    const { status, body: told } = await acts.userinfo(access);
    expect([status, told.a, told.b]).toEqual([200, undefined, 1]);
  });

  test("is recorded so often within an hour, and again after it", async () => {
    const { failuresOfHour: most, failuresMs } = actionLimits;
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    const id = await acts.givenAction(there.orgId, { body, allowedToFail: true });
    await acts.setActions(there.orgId, "4", [id]);
    const failures = async () => (await acts.eventsOf(`action-${id}`, "action.failed")).length;
    for (let times = 0; times < most; times += 1) await acts.userinfo(access);
    expect(await failures()).toBe(most);
    expect((await acts.userinfo(access)).status).toBe(200);
    expect(await failures()).toBe(most);
    parties.clock.nowMs += failuresMs + 1;
    await acts.userinfo((await acts.tokensOf(there)).access);
    expect(await failures()).toBeGreaterThan(most);
  });
});

describe("what is set", () => {
  const { bytes: most } = setClaimLimits;
  // {"a":"…"} has eight characters besides the text.
  const filled = (bytes: number) => `"x".repeat(${bytes - 8})`;

  test.each([
    ["as much as there is room for is taken", most, true],
    ["and one byte more is not", most + 1, false],
  ])("%s", async (_, bytes, isTaken) => {
    const there = await acts.given({ 4: [{ body: set("a", filled(bytes)) }] });
    const { body } = await acts.userinfo((await acts.tokensOf(there)).access);
    expect("a" in body).toBe(isTaken);
    const log = body["urn:iam:action:claim:log"];
    expect(log).toEqual(isTaken ? undefined : ['key "a" has no room']);
  });
});

describe("metadata", () => {
  const keysOf = (person: Person) => async (key: string) => {
    const hash = createHash("sha256").update(key).digest("base64url");
    return await acts.eventsOf(`metadata-${person.userId}-${hash}`, "user.metadata.set");
  };

  test("is kept where it changes, in the name of the action", async () => {
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    const id = await acts.givenAction(there.orgId, {
      body: 'api.v1.user.setMetadata("plan", "gold"); api.v1.user.setMetadata("more", { a: 1 });',
    });
    await acts.setActions(there.orgId, "4", [id]);
    // What is so already counts for nothing.
    for (let times = 0; times <= actionLimits.metadataOfDay; times += 1) {
      await acts.userinfo(access);
    }
    const events = keysOf(there.person);
    const value = (text: string) => Buffer.from(text).toString("base64");
    expect(await events("plan")).toEqual([
      { actor: `action-${id}`, userId: there.person.userId, key: "plan", value: value("gold") },
    ]);
    expect(await events("more")).toMatchObject([{ value: value('{"a":1}') }]);
    const script = 'function claim(ctx, api) { api.v1.user.setMetadata("plan", "silver") }';
    const path = `/management/v1/actions/${id}`;
    await parties.call("PUT", path, { script, updateMask: "script" }, there.orgId);
    await acts.userinfo(access);
    expect((await events("plan")).at(-1)).toMatchObject({ value: value("silver") });
  });

  test("changes so often for a person within a day", async () => {
    const { metadataOfDay: most } = actionLimits;
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    const body = 'api.v1.user.setMetadata("n", String(Date.now()) + Math.random());';
    await acts.setActions(there.orgId, "4", [await acts.givenAction(there.orgId, { body })]);
    for (let times = 0; times <= most; times += 1) {
      expect((await acts.userinfo(access)).status).toBe(200);
    }
    const kept = keysOf(there.person);
    expect(await kept("n")).toHaveLength(most);
    parties.clock.nowMs += actionLimits.metadataMs + 1;
    await acts.userinfo((await acts.tokensOf(there)).access);
    expect((await kept("n")).length).toBeGreaterThan(most);
  });

  test("of a key that is not taken is not kept", async () => {
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    const body = ["_own", "a\\0b"]
      .map((key) => `api.v1.user.setMetadata("${key}", "x");`)
      .join(" ");
    await acts.setActions(there.orgId, "4", [await acts.givenAction(there.orgId, { body })]);
    expect((await acts.userinfo(access)).status).toBe(200);
    expect(await keysOf(there.person)("_own")).toEqual([]);
    expect(await keysOf(there.person)("a\0b")).toEqual([]);
  });
});
