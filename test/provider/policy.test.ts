import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type * as oidc from "openid-client";
import { isLetIn, statusOfUserinfo } from "./asking.ts";
import { errorIn, heading } from "./browser.ts";
import { givenHolder, registerAt, showPasskey } from "./passkeys.ts";
import { givenRuled, scopeOf } from "./policies.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const refused = "You cannot log in this way";

/** A browser at the first page of a login. */
async function opened(app: App, parameters: { readonly [name: string]: string } = {}) {
  const [browser, begun] = [parties.browser(), await begin(app, parameters)];
  return { browser, begun, page: await browser.open(begun.url.href) };
}

describe("a policy that is passed by: where passwords are not allowed", () => {
  test("none is asked for or taken, and a passkey logs in", async () => {
    const ruled = await givenRuled(parties, { allowUsernamePassword: false });
    const app = await ruled.givenApp();
    const { browser, begun, page } = await opened(app);
    expect(page.text).not.toContain('type="password"');
    expect(page.text).not.toContain("Forgot your password?");
    const holder = await givenHolder(parties);
    const head = await parties.server.head();
    const { userName, password } = holder;
    const known = await browser.send({ step: "password", userName, password });
    expect([known.status, heading(known)]).toEqual([400, "Log in"]);
    expect(known.text).not.toContain('type="password"');
    // Byte for byte the same for a name that nobody has.
    const nobody = userName.replaceAll(/./g, "x");
    const unknown = await browser.send({ step: "password", userName: nobody, password });
    expect(unknown.text).toBe(known.text.replaceAll(userName, nobody));
    const asks = await browser.send({ step: "forgotten", userName });
    expect(heading(asks)).toBe("Log in");
    expect(heading(await browser.send({ step: "ask", userName }))).toBe("Log in");
    expect(await parties.server.events(head)).toEqual([]);
    await browser.send({ userName: "" }, "passkey");
    expect(browser.page.text).not.toContain("Log in with a password");
    const back = await showPasskey(browser, holder.passkey);
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(holder.userId);
  });

  test("by the person's organization alone, only the right password is told so", async () => {
    const ruled = await givenRuled(parties, { allowUsernamePassword: false });
    const person = await parties.givenPerson({}, ruled.organization);
    const { userName, password } = person;
    const { browser } = await opened(await parties.givenApp());
    expect(errorIn(await browser.send({ userName, password: "wrong" }))).toContain(
      "Wrong user name",
    );
    const page = await browser.send({ userName, password });
    expect([page.status, heading(page)]).toEqual([403, refused]);
    expect(await parties.typesOf(person)).toEqual(["user.human.login.failed"]);
  });
});

test("where passwords are not allowed, nobody removes the only passkey", async () => {
  const ruled = await givenRuled(parties, { allowUsernamePassword: false });
  const person = await parties.givenPerson({}, ruled.organization);
  const { userId } = person;
  const path = `/management/v1/users/${userId}/passwordless/_link`;
  const { link } = await parties.call("POST", path, {}, ruled.organization);
  const passkey = await registerAt(parties, person, String(link));
  const browser = parties.browser();
  await browser.open("/account/passkeys");
  await browser.send({ userName: "" }, "passkey");
  await showPasskey(browser, passkey);
  expect(heading(browser.page)).toBe("Passkeys");
  await browser.send({ step: "remove", passkey: passkey.credentialId }, "add");
  expect(await parties.typesOf(person)).not.toContain("user.human.passwordless.token.removed");
});

describe("a policy that is passed by: where passkeys are not allowed", () => {
  test("none is offered or taken", async () => {
    const ruled = await givenRuled(parties, { passwordlessType: "PASSWORDLESS_TYPE_NOT_ALLOWED" });
    const { browser, page } = await opened(await ruled.givenApp());
    expect(page.text).not.toContain("Log in with a passkey");
    for (const step of ["passkey", "assertion"]) {
      const { status, text } = await browser.send({ step, userName: "" });
      expect([step, status, text.includes("data-options")]).toEqual([step, 400, false]);
    }
  });

  test("by the person's organization alone, one that is right leads nowhere", async () => {
    const ruled = await givenRuled(parties);
    const holder = await givenHolder(parties);
    const { browser } = await opened(await ruled.givenApp());
    await browser.send({ userName: "" }, "passkey");
    // The default holds for the organization of the person.
    const rule = { allowUsernamePassword: true };
    await parties.call("PUT", "/admin/v1/policies/login", rule);
    try {
      const page = await showPasskey(browser, holder.passkey);
      expect([page.status, heading(page)]).toEqual([400, "Log in"]);
    } finally {
      const before = { ...rule, passwordlessType: "PASSWORDLESS_TYPE_ALLOWED" };
      await parties.call("PUT", "/admin/v1/policies/login", before);
    }
  });
});

test("a hidden reset is neither offered nor made", async () => {
  const ruled = await givenRuled(parties, { hidePasswordReset: true });
  const person = await parties.givenPerson({}, ruled.organization);
  const { page, browser } = await opened(await ruled.givenApp());
  expect(page.text).not.toContain("Forgot your password?");
  const { userName } = person;
  expect(heading(await browser.send({ step: "forgotten", userName }))).toBe("Log in");
  // At an application of others it is offered to one who comes, and makes no mail for this person.
  const elsewhere = await opened(await parties.givenApp());
  await elsewhere.browser.send({ userName }, "forgotten");
  expect(heading(await elsewhere.browser.send({ userName }, "ask"))).toBe("Check your email");
  expect(await parties.typesOf(person)).toEqual([]);
});

describe("a policy that is passed by: the lifetime of sessions", () => {
  test("ends the session, and the tokens that came from it", async () => {
    const ruled = await givenRuled(parties, { sessionLifetime: "600s" });
    const app = await ruled.givenApp();
    const browser = parties.browser();
    const tokens = await logIn(browser, app, await parties.givenPerson());
    const start = parties.clock.nowMs;
    parties.clock.nowMs = start + 590_000;
    expect([await isLetIn(browser, app), await statusOf(tokens)]).toEqual([true, 200]);
    parties.clock.nowMs = start + 601_000;
    expect([await isLetIn(browser, app), await statusOf(tokens)]).toEqual([false, 401]);
  });

  test("of the person's organization counts, also of sessions of before", async () => {
    const ruled = await givenRuled(parties);
    const app = await parties.givenApp();
    const [browser, person] = [
      parties.browser(),
      await parties.givenPerson({}, ruled.organization),
    ];
    await logIn(browser, app, person);
    const start = parties.clock.nowMs;
    parties.clock.nowMs = start + 3_600_000;
    expect(await isLetIn(browser, app)).toBe(true);
    await parties.call(
      ...["POST", "/management/v1/policies/login"],
      ...[{ allowUsernamePassword: true, sessionLifetime: "1800s" }, ruled.organization],
    );
    expect(await isLetIn(browser, app)).toBe(false);
  });

  const statusOf = ({ access_token: token }: oidc.TokenEndpointResponse) =>
    statusOfUserinfo(parties, token);
});

describe("a policy that is passed by: the scope of an organization", () => {
  test("makes the rules stricter", async () => {
    const ruled = await givenRuled(parties, { allowUsernamePassword: false });
    const app = await parties.givenApp();
    const scope = scopeOf(ruled);
    expect((await opened(app)).page.text).toContain('type="password"');
    expect((await opened(app, { scope })).page.text).not.toContain('type="password"');
  });

  test("relaxes nothing", async () => {
    const [strict, lax] = [
      await givenRuled(parties, { allowUsernamePassword: false }),
      await givenRuled(parties, {}),
    ];
    const app = await strict.givenApp();
    for (const scope of [scopeOf(lax), scopeOf({ organization: crypto.randomUUID() })]) {
      expect((await opened(app, { scope })).page.text).not.toContain('type="password"');
    }
  });
});
