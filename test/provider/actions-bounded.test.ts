import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { actionLimits } from "../../src/domain/action.ts";
import { setClaimLimits } from "../../src/domain/set-claims.ts";
import { acting, jwt, set, startActing } from "./acting.ts";
import type { Parties } from "./relying.ts";

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

  /** The lines of the log about an action. */
  const linesOf = (id: string) =>
    parties.server
      .logged()
      .map((line) => JSON.parse(line) as { readonly [name: string]: unknown })
      .filter(({ actionId }) => actionId === id);

  test("has its message in a test and in the log, and not in the event", async () => {
    const there = await acts.given({});
    const { access } = await acts.tokensOf(there);
    const id = await acts.givenAction(there.orgId, { body, allowedToFail: true });
    await acts.setActions(there.orgId, "4", [id]);
    expect((await acts.userinfo(access)).status).toBe(200);
    const failed = { errorClass: "TypeError", line: 2, column: expect.any(Number) };
    const message = "a secret of the script";
    expect(linesOf(id)).toMatchObject([
      { ...{ ...failed, level: 40, trigger: 4 }, scriptMessage: message, msg: "an action failed" },
    ]);
    const tested = await parties.call("POST", "/management/v1/actions/_test", {
      ...{ name: "claim", flowType: "2", triggerType: "4" },
      script: `function claim(ctx, api) { ${body} }`,
    });
    expect(tested.problem).toMatchObject({ ...failed, message });
    const events = (await parties.server.events()).filter(({ stream }) => stream.includes(id));
    expect(events.map(({ type }) => type)).toEqual(["action.added", "action.failed"]);
    expect(events[1]?.payload).not.toContain("secret");
  });

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
        ...{ actor: `action-${id}`, flow: 2, trigger: 5, errorClass: "TypeError" },
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

  test("is recorded so often within an hour, and again after it; it is always logged", async () => {
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
    expect(linesOf(id)).toHaveLength(most + 1);
    const ready = await (await fetch(`${parties.server.url}/readyz`)).json();
    expect((ready as { readonly failedActionRuns: number }).failedActionRuns).toBeGreaterThan(most);
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
