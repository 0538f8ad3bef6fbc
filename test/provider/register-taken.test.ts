import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { credentialsOf } from "../../src/domain/user/state/credential.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { errorIn, heading } from "./browser.ts";
import { happen } from "./mails.ts";
import { codeIn, mailsTo, password, prove, register, setPolicy } from "./registering.ts";
import { type App, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ delivers: true });
  app = await parties.givenApp();
  await setPolicy(parties, { allowRegister: true });
});
afterAll(() => parties.close());

const theirs = "chosen by an importer";

/** Imports somebody whose address nobody has proven, with all that an importer can choose. */
async function givenImport(given: object = {}) {
  const email = `${v7()}@example.com`;
  const person = await parties.givenPerson({
    email: { email },
    password: theirs,
    otpCode: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    requestPasswordlessRegistration: true,
    ...given,
  });
  return { ...person, email };
}

async function stateOf(userId: string): Promise<UserState> {
  const [stored] = await parties.server.store.load([`user-${userId}`]);
  return JSON.parse(stored?.state ?? "{}") as UserState;
}

/** Registers with an address; answers whom that has made. */
async function registered(email: string, userName = email): Promise<string> {
  const browser = parties.browser();
  const { begun } = await prove(parties, browser, app, email);
  const back = await browser.send({ password, userName }, "register-password");
  return (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
}

describe("an account begun by somebody else", () => {
  test("goes to who proves its address, and nothing lets the importer in", async () => {
    const person = await givenImport();
    const { userId, email } = person;
    await happen(parties, person, {
      type: "user.human.externalidp.added",
      payload: { idpId: "an-idp", externalUserId: "somebody", displayName: "" },
    });
    expect(await registered(email)).toBe(userId);
    const state = await stateOf(userId);
    const made = credentialsOf(state, parties.clock.nowMs);
    expect(made).toEqual([
      { kind: "email", maker: userId },
      { kind: "password", maker: userId },
    ]);
    const { human } = state;
    expect(human).toMatchObject({ email, isEmailVerified: true, firstName: "Ada" });
    expect(human).not.toHaveProperty("otpSecret");
    expect(human).not.toHaveProperty("initialization");
    expect(state.userName).toBe(person.userName);

    const browser = parties.browser();
    await expect(logIn(browser, app, { ...person, password: theirs })).rejects.toThrow();
    const own = await logIn(parties.browser(), app, { ...person, password });
    expect(own.claims()?.sub).toBe(userId);
  });

  test("has another code by then, which opens nothing any more", async () => {
    const { userId, email } = await givenImport();
    const { human } = await stateOf(userId);
    const place = { stream: `user-${userId}`, field: "initialization.code" };
    const code = parties.server.keyring.open(human?.initialization?.code ?? "", place);
    await registered(email);
    const body = JSON.stringify({ userId, code });
    const headers = { "content-type": "application/json" };
    const path = "/iam.account.v1.AccountService/CheckInitialization";
    const checked = await fetch(parties.server.url + path, { method: "POST", headers, body });
    expect(checked.status).toBe(400);
  });

  test("whose code was answered to its maker goes to the person alone, too", async () => {
    const person = await givenImport();
    const payload = { code: "v1.k.sealed", send: false, via: ["somebody"] } as const;
    await happen(parties, person, { type: "user.human.initialization.code.added", payload });
    expect(await registered(person.email)).toBe(person.userId);
    const { human } = await stateOf(person.userId);
    expect(human?.passwordMade).toEqual({ maker: person.userId });
  });

  test.each<readonly [string, Parameters<typeof happen>[2]]>([
    [
      "has a role",
      {
        type: "user.membership.granted",
        payload: { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
      },
    ],
    ["is out of use", { type: "user.deactivated", payload: {} }],
  ])("that %s is not for the taking: its person gets the other mail", async (_, event) => {
    const person = await givenImport();
    await happen(parties, person, event);
    await register(parties.browser(), app, person.email);
    const mails = (await mailsTo(parties, person.email)).filter((mail) =>
      mail.includes("Subject: You already have an account"),
    );
    expect(mails).toHaveLength(1);
    expect((await stateOf(person.userId)).human).toHaveProperty("initialization");
  });

  test.each([
    ["as it is written", "@"],
    ["with a wide @, which counts as the same", "\uff20"],
  ])("cannot be named by the address of another %s", async (_title, at) => {
    const browser = parties.browser();
    await prove(parties, browser, app, `${v7()}@example.com`);
    const foreign = { password, userName: `${v7()}${at}example.com` };
    const page = await browser.send(foreign, "register-password");
    expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining("your own")]);
  });

  test("goes to nobody whose address only counts as the same", async () => {
    const { email, userId } = await givenImport();
    const wide = email.replace(/^./, (first) => String.fromCharCode(first.charCodeAt(0) + 0xfee0));
    const { page } = await register(parties.browser(), app, wide);
    expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining("email")]);
    expect((await stateOf(userId)).human).toHaveProperty("initialization");
  });

  test("goes to nobody at another host whose name only counts as the same", async () => {
    const name = v7();
    const { userId } = await givenImport({ email: { email: `${name}@φίλος.gr` } });
    expect(await registered(`${name}@φίλοσ.gr`)).not.toBe(userId);
    expect((await stateOf(userId)).human).toHaveProperty("initialization");
  });

  test("in another organization is left alone", async () => {
    const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
    const email = `${v7()}@example.com`;
    const given = { email: { email }, password: "" };
    const { userId } = await parties.givenPerson(given, String(id));
    expect(await registered(email)).not.toBe(userId);
    expect((await stateOf(userId)).human).toHaveProperty("initialization");
  });

  test("with roles that it got while somebody registered is left alone", async () => {
    const person = await givenImport();
    const browser = parties.browser();
    await prove(parties, browser, app, person.email);
    await happen(parties, person, {
      type: "user.membership.granted",
      payload: { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
    });
    const page = await browser.send({ password }, "register-password");
    expect([page.status, heading(page)]).toEqual([409, "You already have an account"]);
    expect((await stateOf(person.userId)).human).toHaveProperty("initialization");
  });
});

describe("an account begun by somebody else, a stranger with the address of another,", () => {
  test("is nothing until the address is proven, and keeps its owner from nothing", async () => {
    const email = `${v7()}@example.com`;
    const mallory = parties.browser();
    await register(mallory, app, email);
    const sub = await registered(email);
    expect((await stateOf(sub)).userName).toBe(email);
    // The code of the owner is not that of the stranger, whose own nobody has shown.
    const codes = (await mailsTo(parties, email)).map(codeIn);
    expect(codes).toHaveLength(2);
    const wrong = await mallory.send({ code: codes[1] ?? "" }, "register-code");
    expect(wrong.status).toBe(400);
  });

  test("that its owner has proven for the stranger is no second one", async () => {
    const email = `${v7()}@example.com`;
    const mallory = parties.browser();
    await prove(parties, mallory, app, email);
    const sub = await registered(email);
    const page = await mallory.send({ password: "of a stranger" }, "register-password");
    expect([page.status, heading(page)]).toEqual([409, "You already have an account"]);
    const asked = await mallory.send({ step: "register-passkey" }, "register-leave");
    expect(asked.text).not.toContain("data-options");
    const own = { userId: sub, userName: email, email, password };
    expect((await logIn(parties.browser(), app, own)).claims()?.sub).toBe(sub);
  });
});
