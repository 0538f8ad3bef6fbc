import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { actionLimits } from "../../src/domain/action.ts";
import { acting, type Made, set, startActing } from "./acting.ts";
import type { Parties, Person } from "./relying.ts";

// What actions keep with people while somebody asks about a token.

const { metadataOfDay: most, metadataMs } = actionLimits;

let parties: Parties;
let acts: ReturnType<typeof acting>;

beforeAll(async () => {
  parties = await startActing();
  acts = acting(parties);
});
afterAll(() => parties.close());

/** A person with a token, and actions that run each time it is asked about. */
async function givenKeeping(...made: readonly Made[]) {
  const there = await acts.given({});
  const { access } = await acts.tokensOf(there);
  const ids: string[] = [];
  for (const one of made) ids.push(await acts.givenAction(there.orgId, one));
  await acts.setActions(there.orgId, "4", ids);
  const ask = async (times = 1) => {
    const told = [];
    for (let at = 0; at < times; at += 1) told.push(await acts.userinfo(access));
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 200));
    return told.at(-1)?.body;
  };
  return { ...there, actionIds: ids, ask };
}

const keep = (key: string, value: string) =>
  `api.v1.user.setMetadata(${JSON.stringify(key)}, ${value});`;

/** Replaces the body of an action that is named `claim`. */
async function change(orgId: string, id: string | undefined, body: string): Promise<void> {
  const given = { script: `function claim(ctx, api) { ${body} }`, updateMask: "script" };
  await parties.call("PUT", `/management/v1/actions/${id}`, given, orgId);
}

/** The values that a key of a person was given, one after the other, and by whom. */
async function keptOf({ userId }: Person, key: string) {
  const hash = createHash("sha256").update(key).digest("base64url");
  const events = await acts.eventsOf(`metadata-${userId}-${hash}`, "user.metadata.set");
  return events.map(({ actor, ...payload }) => {
    const { value } = payload as unknown as { readonly value: string };
    return [actor, Buffer.from(value, "base64").toString()];
  });
}

const valuesOf = async (person: Person, key: string) =>
  (await keptOf(person, key)).map(([, value]) => value);

test("a key is kept where it changes, in the name of the action", async () => {
  const { orgId, person, actionIds, ask } = await givenKeeping({
    body: keep("plan", '"gold"') + keep("more", "{ a: 1 }"),
  });
  await ask(most + 1);
  const [id = ""] = actionIds;
  expect(await keptOf(person, "plan")).toEqual([[`action-${id}`, "gold"]]);
  expect(await keptOf(person, "more")).toEqual([[`action-${id}`, '{"a":1}']]);
  await change(orgId, id, keep("plan", '"silver"'));
  await ask();
  expect(await valuesOf(person, "plan")).toEqual(["gold", "silver"]);
});

test("keys of a person change so often within a day, and again after it", async () => {
  const there = await givenKeeping({ body: keep("n", "Math.random()") });
  await there.ask(most + 1);
  expect(await valuesOf(there.person, "n")).toHaveLength(most);
  parties.clock.nowMs += metadataMs + 1;
  await acts.userinfo((await acts.tokensOf(there)).access);
  expect((await valuesOf(there.person, "n")).length).toBeGreaterThan(most);
});

test("a later action is told what the first has kept, and its own is kept", async () => {
  const { person, ask } = await givenKeeping(
    { name: "one", body: keep("plan", '"silver"') },
    {
      name: "two",
      body: `${set("told", "ctx.v1.user.getMetadata().metadata")} ${keep("plan", '"gold"')}`,
    },
  );
  expect(await ask()).toMatchObject({ told: [{ key: "plan", value: "silver" }] });
  expect(await valuesOf(person, "plan")).toEqual(["silver", "gold"]);
  await ask();
  expect(await valuesOf(person, "plan")).toEqual(["silver", "gold", "silver", "gold"]);
});

test("a key that is not taken is not kept, and does not count", async () => {
  const refused = ["_own", "a\0b"].map((key) => keep(key, '"x"')).join(" ");
  const { person, ask } = await givenKeeping({ body: refused + keep("n", "Math.random()") });
  await ask(most);
  expect(await valuesOf(person, "n")).toHaveLength(most);
  expect(await valuesOf(person, "_own")).toEqual([]);
  expect(await valuesOf(person, "a\0b")).toEqual([]);
});

test("what an action before has just kept does not count again", async () => {
  const random = "const n = Math.random();";
  const { person, ask } = await givenKeeping(
    { name: "one", body: `${random} ${set("n", "n")} ${keep("n", "n")}` },
    { name: "two", body: keep("n", "ctx.v1.claims.n") },
  );
  await ask(most);
  expect(await valuesOf(person, "n")).toHaveLength(most);
});

test("what several requests keep at the same time counts once", async () => {
  const { orgId, person, actionIds, ask } = await givenKeeping({ body: "" });
  const values = Array.from({ length: most }, (_none, at) => `${at}`);
  for (const value of values) {
    await change(orgId, actionIds[0], keep("n", value));
    await Promise.all([ask(), ask(), ask()]);
  }
  expect(await valuesOf(person, "n")).toEqual(values);
});
