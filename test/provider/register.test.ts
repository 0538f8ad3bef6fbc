import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { errorIn, heading } from "./browser.ts";
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
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

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

test("somebody registers from the login page, and goes on to the application", async () => {
  const browser = parties.browser();
  const email = freshAddress();
  const before = await parties.server.store.head();
  const { begun, page } = await register(browser, app, email);
  expect([page.status, heading(page)]).toEqual([200, "Check your email"]);
  const [mail] = await mailsTo(parties, email);
  expect(mail).not.toContain("Grace");
  const waiting = await parties.server.store.readAll(before.position, 100);
  expect(waiting.map(({ type }) => type)).toEqual([
    ...["registration.requested", "registration.mail.sent"],
  ]);
  expect(
    JSON.stringify(waiting, (_, value) => (typeof value === "bigint" ? 0 : value)),
  ).not.toMatch(new RegExp(`${email}|Grace|Hopper|${codeIn(mail)}`));

  const way = await browser.send({ code: codeIn(mail).toLowerCase() }, "register-code");
  expect([way.status, heading(way)]).toEqual([200, "Choose how to log in"]);
  expect(way.text).toContain(`value="${email}" readonly`);
  const back = await browser.send({ password }, "register-password");
  const sub = (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
  const events = await eventsOf(sub);
  expect(events.map(({ type }) => type)).toEqual([
    ...["user.human.added", "user.human.email.verified", "user.human.session.begun"],
  ]);
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([sub]));
  expect(JSON.parse(events[0]?.payload ?? "{}").through).toBe(app.clientId);
  const { memberships, userName, human } = await stateOf(sub);
  expect({ memberships, userName }).toEqual({ memberships: [], userName: email });
  expect(human).toMatchObject({
    ...names,
    email,
    emailMade: { maker: sub },
    passwordMade: { maker: sub },
  });
  const other = parties.browser();
  const person = { userId: sub, userName: email, email, password };
  expect((await logIn(other, app, person)).claims()?.sub).toBe(sub);
});

describe("prompt=create", () => {
  test("leads to the form at once, also where somebody is logged in", async () => {
    const browser = parties.browser();
    const ada = await parties.givenPerson();
    await logIn(browser, app, ada);
    const begun = await begin(app, { prompt: "create" });
    await browser.open(begun.url.href);
    expect(heading(browser.page)).toBe("Create an account");
    const email = freshAddress();
    await browser.send({ ...names, email }, "register-ask");
    await browser.send({ code: codeIn((await mailsTo(parties, email))[0]) }, "register-code");
    const back = await browser.send({ password }, "register-password");
    const sub = (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
    expect(await stateOf(sub)).toMatchObject({ human: { email } });
  });

  test("lets those who have an account log in instead", async () => {
    const browser = parties.browser();
    const ada = await parties.givenPerson();
    const begun = await begin(app, { prompt: "create" });
    await browser.open(begun.url.href);
    await browser.send({}, "register-leave");
    expect(heading(browser.page)).toBe("Log in");
    const back = await browser.send({ userName: ada.userName, password: ada.password });
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(ada.userId);
  });

  test("keeps access that lasts, for which the person is asked", async () => {
    const browser = parties.browser();
    const scope = "openid offline_access";
    const { begun } = await register(browser, app, freshAddress(), { prompt: "create", scope });
    const { email = "" } = (await pendingOf(parties, browser.page)) ?? {};
    await browser.send({ code: codeIn((await mailsTo(parties, email))[0]) }, "register-code");
    const back = await browser.send({ password }, "register-password");
    const tokens = await fetchTokens(app, begun, back.url);
    expect(tokens.refresh_token).toEqual(expect.any(String));
  });

  test("is the page to log in where nobody may register", async () => {
    await setPolicy(parties, {});
    const browser = parties.browser();
    await browser.open((await begin(app, { prompt: "create" })).url.href);
    const { text } = browser.page;
    expect([heading(browser.page), text.includes("register")]).toEqual(["Log in", false]);
    await setPolicy(parties, { allowRegister: true });
  });

  test("is advertised", async () => {
    const found = await fetch(`${parties.server.url}/.well-known/openid-configuration`);
    const prompts = ["none", "create", "login", "select_account", "consent"];
    expect(await found.json()).toMatchObject({ prompt_values_supported: prompts });
  });
});

describe("the policy", () => {
  afterEach(() => setPolicy(parties, { allowRegister: true }));

  test.each(["register", "register-ask", "register-code", "register-password"])(
    "refuses the form %s where it allows nobody, also in a login that has begun",
    async (step) => {
      const browser = parties.browser();
      const { page } = await register(browser, app, freshAddress());
      await setPolicy(parties, {});
      const answered = await browser.send({ step, ...names, email: freshAddress(), password });
      expect([answered.status, heading(answered)]).toEqual([400, "That didn’t work"]);
      await browser.open(page.url);
      expect(heading(browser.page)).toBe("Log in");
    },
  );

  test("of the organization of the page decides, not that of the instance", async () => {
    const made = await parties.call("POST", "/management/v1/orgs", { name: v7() });
    const organization = String(made.id);
    await setPolicy(parties, { allowRegister: false }, organization);
    const project = { name: v7() };
    const { id } = await parties.call("POST", "/management/v1/projects", project, organization);
    const other = await parties.givenApp({}, String(id), organization);
    const browser = parties.browser();
    await browser.open((await begin(other)).url.href);
    expect(browser.page.text).not.toContain("Create an account");
    await setPolicy(parties, { allowRegister: true }, organization);
    const { begun } = await register(browser, other, freshAddress());
    const { email = "" } = (await pendingOf(parties, browser.page)) ?? {};
    await browser.send({ code: codeIn((await mailsTo(parties, email))[0]) }, "register-code");
    const back = await browser.send({ password }, "register-password");
    const sub = (await fetchTokens(other, begun, back.url)).claims()?.sub ?? "";
    expect((await stateOf(sub)).organization).toBe(organization);
  });

  test.each([
    ["ada@example.org", 200],
    ["ada@EXAMPLE.org", 200],
    ["ada@b\u00fccher.example", 200],
    ["ada@xn--bcher-kva.example", 200],
    ["ada@sub.example.org", 400],
    ["ada@notexample.org", 400],
    ["ada@example.org.evil.com", 400],
    ["ada@example.com", 400],
  ])("of domains takes or refuses %s", async (email, status) => {
    const registerDomains = ["example.org", "xn--bcher-kva.example"];
    await setPolicy(parties, { allowRegister: true, registerDomains });
    const { page } = await register(parties.browser(), app, `${v7()}${email.slice(3)}`);
    expect(page.status).toBe(status);
    if (status === 400) {
      expect(errorIn(page)).toBe("Enter an address of one of the allowed domains.");
      const domains = registerDomains.map((one) => `<strong><bdi>${one}</bdi></strong>`).join(", ");
      expect(page.text).toContain(`Allowed domains: ${domains}.`);
      expect(await pendingOf(parties, page)).toBeUndefined();
    }
  });

  test("without passwords offers a passkey alone, and without passkeys a password", async () => {
    const browser = parties.browser();
    const { page } = await prove(parties, browser, app, freshAddress());
    await setPolicy(parties, { allowRegister: true, allowPassword: false });
    const withoutPassword = await browser.open(page.url);
    expect(withoutPassword.text).not.toContain('type="password"');
    const refused = await browser.send({ step: "register-password", password });
    expect([refused.status, heading(refused)]).toEqual([200, "Choose how to log in"]);
    await setPolicy(parties, { allowRegister: true, allowPasskeys: false });
    const withoutPasskey = await browser.open(page.url);
    expect(withoutPasskey.text).not.toContain("passkey");
    const again = await browser.send({ step: "register-passkey" }, "register-password");
    expect([again.status, heading(again)]).toEqual([200, "Choose how to log in"]);
  });
});

describe("names and the address", () => {
  test.each([
    [{ firstName: " " }, "Enter 1 to 200 characters, on one line."],
    [{ lastName: "x".repeat(201) }, "Enter 1 to 200 characters, on one line."],
    [{ email: "nobody" }, "Enter one email address, for example ada@example.com."],
    [{ email: "a@example.com, b@example.com" }, "Enter one email address"],
  ])("are refused as %j", async (given, told) => {
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    await browser.send({}, "register");
    const page = await browser.send({ ...names, email: freshAddress(), ...given }, "register-ask");
    expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining(told)]);
    expect(await pendingOf(parties, page)).toBeUndefined();
  });
});

describe("the code", () => {
  test(`is void after ${registerLimits.failures} wrong ones`, async () => {
    const browser = parties.browser();
    const email = freshAddress();
    await register(browser, app, email);
    const code = codeIn((await mailsTo(parties, email))[0]);
    for (let i = 1; i < registerLimits.failures; i += 1) {
      const page = await browser.send({ code: "AAAAAA" }, "register-code");
      expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining("isn’t valid")]);
    }
    const { url } = browser.page;
    const last = await browser.send({ code: "AAAAAA" }, "register-code");
    expect([last.status, heading(last)]).toEqual([400, "This code is no longer valid"]);
    await browser.open(url);
    expect(heading(browser.page)).toBe("Log in");
    const late = await browser.send({ step: "register-code", code });
    expect([late.status, heading(late)]).toEqual([400, "This code is no longer valid"]);
  });

  test("is right as the last of them", async () => {
    const browser = parties.browser();
    const email = freshAddress();
    await register(browser, app, email);
    for (let i = 1; i < registerLimits.failures; i += 1) {
      await browser.send({ code: "AAAAAA" }, "register-code");
    }
    const code = codeIn((await mailsTo(parties, email))[0]);
    expect(heading(await browser.send({ code }, "register-code"))).toBe("Choose how to log in");
  });

  test("of an earlier mail is wrong once there is another", async () => {
    const browser = parties.browser();
    const email = freshAddress();
    await register(browser, app, email);
    const [first] = await mailsTo(parties, email);
    for (let i = 1; i < registerLimits.failures; i += 1) {
      await browser.send({ code: "AAAAAA" }, "register-code");
    }
    await browser.send({}, "register-again");
    expect(heading(browser.page)).toBe("Check your email");
    const [, second] = await mailsTo(parties, email);
    const wrong = await browser.send({ code: codeIn(first) }, "register-code");
    expect(wrong.status).toBe(400);
    const right = await browser.send({ code: codeIn(second) }, "register-code");
    expect(heading(right)).toBe("Choose how to log in");
  });

  test("ends after its time, and so does what it has proven", async () => {
    const [code, way] = [parties.browser(), parties.browser()];
    await register(code, app, freshAddress());
    await prove(parties, way, app, freshAddress());
    const begunMs = parties.clock.nowMs;
    parties.clock.nowMs = begunMs + registerLimits.codeMs + 1_000;
    const pages = [
      await code.send({ code: "AAAAAA" }, "register-code"),
      await way.send({ password }, "register-password"),
    ];
    expect(pages.map(heading)).toEqual(Array(2).fill("This code is no longer valid"));
    parties.clock.nowMs = begunMs;
  });

  test("opens nothing in another login, and the steps behind it nothing before it", async () => {
    const [one, other] = [parties.browser(), parties.browser()];
    const email = freshAddress();
    await register(one, app, email);
    await register(other, app, freshAddress());
    const code = codeIn((await mailsTo(parties, email))[0]);
    expect((await other.send({ code }, "register-code")).status).toBe(400);
    for (const step of ["register-way", "register-password", "register-passkey"]) {
      const page = await one.send({ step, password }, "register-code");
      expect([step, heading(page)]).toEqual([step, "This code is no longer valid"]);
      await one.open(page.url);
    }
  });
});
