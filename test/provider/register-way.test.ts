import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { register as createPasskey, ellipticPair } from "../cases/webauthn.ts";
import { acting } from "./acting.ts";
import { errorIn, heading } from "./browser.ts";
import { optionsIn, showPasskey } from "./passkeys.ts";
import {
  codeIn,
  mailsTo,
  names,
  password,
  pendingOf,
  prove,
  register,
  setPolicy,
} from "./registering.ts";
import { type App, begin, fetchTokens, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ delivers: true });
  app = await parties.givenApp();
  await setPolicy(parties, { allowRegister: true });
});
afterAll(() => parties.close());

const freshAddress = () => `${v7()}@example.com`;

/** The events of a user: types and actors. */
async function eventsOf(userId: string) {
  return await parties.server.store.readStream(`user-${userId}`, 0, 1_000);
}

async function stateOf(userId: string): Promise<UserState> {
  const [stored] = await parties.server.store.load([`user-${userId}`]);
  return JSON.parse(stored?.state ?? "{}") as UserState;
}

test("the language that somebody chose is that of the mail and of the account", async () => {
  const browser = parties.browser({ "accept-language": "en" });
  const email = freshAddress();
  await browser.open((await begin(app, { prompt: "create" })).url.href);
  await browser.open(`${browser.page.url}?language=de`);
  expect(heading(browser.page)).toBe("Konto anlegen");
  await browser.send({ ...names, email }, "register-ask");
  const [mail] = await mailsTo(parties, email);
  expect(mail).toContain("Content-Language: de");
  await browser.send({ code: codeIn(mail) }, "register-code");
  await browser.send({ password }, "register-password");
  const [added] = (await parties.server.events()).filter(({ payload }) => payload.includes(email));
  expect(added?.payload).toContain('"preferredLanguage":"de"');
});

test("a registration that waits ends where somebody logs in by another page", async () => {
  const browser = parties.browser();
  const otpCode = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const ada = await parties.givenPerson({ otpCode });
  const { begun, page } = await register(browser, app, freshAddress());
  const { userName } = ada;
  await browser.send({ step: "password", userName, password: ada.password }, "register-code");
  expect(heading(browser.page)).toBe("Enter a one-time code");
  expect(await pendingOf(parties, page)).toBeUndefined();
  const back = await browser.send({ code: codeAt(otpCode, parties.clock.nowMs) }, "otp");
  expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(ada.userId);
});

describe("the user name", () => {
  test("is another where the address is one, which only its owner learns", async () => {
    const email = freshAddress();
    await parties.givenPerson({
      userName: email,
      email: { email: freshAddress(), isEmailVerified: true },
    });
    const browser = parties.browser();
    const { begun } = await prove(parties, browser, app, email);
    const taken = await browser.send({ password }, "register-password");
    expect([taken.status, errorIn(taken)]).toEqual([
      409,
      expect.stringContaining("Choose another"),
    ]);
    const userName = v7();
    const back = await browser.send({ password, userName }, "register-password");
    const sub = (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
    expect(await stateOf(sub)).toMatchObject({ userName, human: { email } });
  });

  test("is chosen ten times at most, since it is told whether it is taken", async () => {
    const { userName: taken } = await parties.givenPerson();
    const browser = parties.browser();
    await prove(parties, browser, app, freshAddress());
    const choose = () => browser.send({ password, userName: taken }, "register-password");
    for (let tries = 1; tries <= registerLimits.names; tries += 1) {
      expect((await choose()).status).toBe(409);
    }
    const { status, text } = await choose();
    expect([status, heading({ text })]).toEqual([400, "This code is no longer valid"]);
    expect(await pendingOf(parties, browser.page)).toBeUndefined();
  });

  test("has to be chosen where the address is too long for one", async () => {
    const labels = ["a", "b", "c"].map((letter) => letter.repeat(60));
    const email = `${v7()}@${labels.join(".")}.com`;
    const browser = parties.browser();
    const { page } = await prove(parties, browser, app, email);
    expect(page.text).not.toContain("readonly");
    const wrong = await browser.send({ password }, "register-password");
    expect([wrong.status, errorIn(wrong)]).toEqual([400, expect.stringContaining("1 to 200")]);
    const back = await browser.send({ password, userName: v7() }, "register-password");
    expect(back.url).toContain("code=");
  });
});

async function givenOrganization() {
  const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
  const organization = String(id);
  return { organization, scope: `openid urn:iam:org:id:${organization}` };
}

/** Registers somebody with that scope; what was kept meanwhile, and the person. */
async function registerWith(scope: string) {
  const browser = parties.browser();
  const { begun } = await register(browser, app, freshAddress(), { scope });
  const { email = "", ...waiting } = (await pendingOf(parties, browser.page)) ?? {};
  await browser.send({ code: codeIn((await mailsTo(parties, email))[0]) }, "register-code");
  const back = await browser.send({ password }, "register-password");
  const sub = (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
  return { waiting, email, state: await stateOf(sub) };
}

test("actions shape who is to be created, but for the address that is proven", async () => {
  const { organization, scope } = await givenOrganization();
  const { givenAction, setActions } = acting(parties);
  const body = `
    api.setFirstName("Grace"); api.setLastName("Hopper"); api.setNickName("Amazing");
    api.setDisplayName("Rear Admiral"); api.setGender("FEMALE"); api.setPreferredLanguage("fr");
    api.setUsername(ctx.v1.user.username + "-1"); api.setEmail("x@example.net");
    api.setPhone("+41791234567");`;
  await setActions(organization, "2", [await givenAction(organization, { body })], 3);
  const { email, state } = await registerWith(scope);
  expect(state).toMatchObject({
    userName: `${email}-1`,
    human: {
      ...{ firstName: "Grace", lastName: "Hopper", nickName: "Amazing", gender: "FEMALE" },
      ...{ displayName: "Rear Admiral", preferredLanguage: "fr", email },
      phone: { number: "+41791234567", isVerified: false },
    },
  });
});

test("the organization is the one that a scope names, where it allows that as well", async () => {
  const { organization, scope } = await givenOrganization();
  const { waiting, state } = await registerWith(scope);
  expect(waiting).toMatchObject({ organization });
  expect(state.organization).toBe(organization);

  await setPolicy(parties, { allowRegister: false }, organization);
  const browser = parties.browser();
  await browser.open((await begin(app, { scope, prompt: "create" })).url.href);
  expect(browser.page.text).not.toContain("register");
});

test.each([
  ["short", "8 to 256 characters"],
  ["password123", "too common"],
  ["GraceHopper", "too common"],
])("the password %s is refused", async (wrong, told) => {
  const browser = parties.browser();
  await prove(parties, browser, app, freshAddress());
  const page = await browser.send({ password: wrong }, "register-password");
  expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining(told)]);
});

test("a form that is sent twice makes one person", async () => {
  const browser = parties.browser();
  const email = freshAddress();
  await prove(parties, browser, app, email);
  const { userId = "" } = (await pendingOf(parties, browser.page)) ?? {};
  const sent = [browser, browser].map((one) => one.send({ password }, "register-password"));
  await Promise.all(sent);
  const types = (await eventsOf(userId)).map(({ type }) => type);
  expect(types.filter((type) => type === "user.human.added")).toHaveLength(1);
});

describe("a passkey", () => {
  test("is created before the person exists, who logs in with it from then on", async () => {
    const browser = parties.browser();
    const { begun } = await prove(parties, browser, app, freshAddress());
    const page = await browser.send({}, "register-passkey");
    expect([page.status, heading(page)]).toEqual([200, "Create a passkey"]);
    const { userId = "" } = (await pendingOf(parties, page)) ?? {};
    expect(await eventsOf(userId)).toEqual([]);
    const { key, privateKey } = ellipticPair();
    const origin = parties.server.url;
    const create = (at: string) => {
      const created = createPasskey(optionsIn(browser.page), { origin: at, key });
      const { id, response } = created.credential as {
        readonly id: string;
        readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
      };
      const { clientDataJSON, attestationObject } = response;
      const sent = { id, clientDataJSON, attestationObject, transports: "internal hybrid" };
      return { ...created, send: () => browser.send(sent, "register-created") };
    };
    const wrong = await create("https://evil.example.com").send();
    expect([wrong.status, errorIn(wrong)]).toEqual([400, expect.stringContaining("accepted")]);
    const { credentialId, send } = create(origin);
    const back = await send();
    const claims = (await fetchTokens(app, begun, back.url)).claims();
    expect([claims?.sub, claims?.amr]).toEqual([userId, expect.arrayContaining(["mfa"])]);
    expect((await stateOf(userId)).human).toMatchObject({ passkeys: [{ maker: userId }] });

    const other = parties.browser();
    const next = await begin(app);
    await other.open(next.url.href);
    await other.send({ userName: "" }, "passkey");
    const userHandle = Buffer.from(userId).toString("base64url");
    const passkey = { origin, credentialId, privateKey, userHandle };
    const shown = await showPasskey(other, passkey);
    expect((await fetchTokens(app, next, shown.url)).claims()?.sub).toBe(userId);
  });
});
