import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { leaveOwnerLink } from "../../src/start/owner-link.ts";
import { inFull } from "../harness/in-full.ts";
import { askAs } from "./mails.ts";
import { givenHolder, showPasskey } from "./passkeys.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

// Whom the log of events names as who did something.

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

interface Shown {
  readonly type: { readonly type: string };
  readonly editor: { readonly userId?: string; readonly displayName?: string };
}

/** Who is shown to callers as who caused the events of an object, the oldest first. */
async function editorsOf(aggregateId: string): Promise<readonly [type: string, editor: object][]> {
  const asked = { aggregateId, asc: true, limit: 1_000 };
  const { events } = await parties.call("POST", "/admin/v1/events/_search", asked);
  return (events as readonly Shown[]).map(({ type, editor }) => [type.type, editor]);
}

/** The newest event of a type of the object, with who is shown as who caused it. */
async function editorOf(aggregateId: string, type: string): Promise<object | undefined> {
  const [, editor] = (await editorsOf(aggregateId)).findLast(([one]) => one === type) ?? [];
  return editor;
}

const nobody = { service: "iam", userId: "", displayName: "" };
const ada = (userId: string) => ({ ...nobody, userId, displayName: "Ada Lovelace" });

describe("failures in the victim's name: nobody is the editor of", () => {
  test("wrong passwords and the lock, and the person is the editor of the own login", async () => {
    const person = await parties.givenPerson();
    const { userId, userName } = person;
    const stranger = parties.browser();
    await stranger.open((await begin(app)).url.href);
    for (let i = 0; i < loginLimits.failures; i += 1) {
      await stranger.send({ userName, password: "wrong" });
    }
    expect(await editorOf(userId, "user.human.login.failed")).toEqual(nobody);
    expect(await editorOf(userId, "user.human.locked")).toEqual(nobody);
    await parties.call("POST", `/management/v1/users/${userId}/_unlock`, {});
    await logIn(parties.browser(), app, person);
    expect(await editorOf(userId, "user.human.session.begun")).toEqual(ada(userId));
    // A search for what the person did finds none of what befell it.
    const asked = { editorUserId: userId, limit: 1_000 };
    const { events } = await parties.call("POST", "/admin/v1/events/_search", asked);
    const types = (events as readonly Shown[]).map(({ type }) => type.type);
    expect(types).toEqual(["user.human.session.begun"]);
  });

  test("a wrong one-time code, though the password was right", async () => {
    const { userId, ...person } = await parties.givenPerson({
      otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP",
    });
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    await browser.send(person);
    await browser.send({ code: "000000" });
    expect(await editorOf(userId, "user.human.login.failed")).toEqual(nobody);
  });

  inFull("a copy of a passkey, and the person is the editor of the first login", async () => {
    const { userId, passkey } = await givenHolder(parties);
    for (const counter of [7, 7]) {
      const browser = parties.browser();
      await browser.open((await begin(app)).url.href);
      await browser.send({ userName: "" }, "passkey");
      await showPasskey(browser, passkey, { counter });
    }
    expect(await editorOf(userId, "user.human.passwordless.token.refused")).toEqual(nobody);
    expect(await editorOf(userId, "user.human.session.begun")).toEqual(ada(userId));
  });

  test("a code that comes again", async () => {
    const person = await parties.givenPerson();
    const [browser, begun] = [parties.browser(), await begin(app)];
    await browser.open(begun.url.href);
    const back = await browser.send({ userName: person.userName, password: person.password });
    await fetchTokens(app, begun, back.url);
    await expect(fetchTokens(app, begun, back.url)).rejects.toThrow();
    expect(await editorOf(person.userId, "user.human.token.reused")).toEqual(nobody);
  });

  test("a mail to replace a password", async () => {
    const { userId, userName } = await parties.givenPerson();
    await askAs(parties.browser(), app, userName);
    expect(await editorOf(userId, "user.human.password.code.added")).toEqual(nobody);
  });

  test.each([
    ["Initialize", "user.human.initialization.failed", { password: "" }],
    ["VerifyPhone", "user.human.phone.verification.failed", { password: "" }],
    ["BeginPasskey", "user.human.passwordless.initialization.failed", { password: "" }],
  ] as const)("a wrong code of %s", async (method, type, given) => {
    const { userId } = await parties.givenPerson({
      ...given,
      phone: { phone: "+41791234567", isPhoneVerified: false },
    });
    const path = `/management/v1/users/${userId}/passwordless/_link`;
    const { link } = await parties.call("POST", path, {});
    const codeId = new URL(String(link)).searchParams.get("codeID");
    const shown = method === "BeginPasskey" ? { codeId, code: "wrong" } : { code: "AAAAAA" };
    const called = `/iam.account.v1.AccountService/${method}`;
    await expect(parties.call("POST", called, { userId, ...shown })).rejects.toThrow(
      "CODE_INVALID",
    );
    expect(await editorOf(userId, type)).toEqual(nobody);
  });
});

test("failures in the victim's name: what an operator did is not the service's", async () => {
  const { execute, dataDir, url } = parties.server;
  await leaveOwnerLink({ execute, dataDir, url, random: randomBytes });
  const editors = new Map(await editorsOf("1"));
  expect(editors.get("instance.owner.link.added")).toEqual({ ...nobody, service: "operator" });
  expect(editors.get("instance.key.added")).toEqual(nobody);
  // Nobody was at the keyboard when discovery was first asked for.
  expect(editors.get("instance.signing.key.added")).toEqual(nobody);
});
