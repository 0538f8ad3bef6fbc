import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { freshMs } from "../../src/provider/account/part.ts";
import { givenOIDCProvider } from "../cases/idps.ts";
import { happen } from "../cases/users.ts";
import { cookiesOf } from "./asking.ts";
import { type Browser, heading, ofOwnPage } from "./browser.ts";
import { givenOwn } from "./own-browser.ts";
import { registerAt, showPasskey } from "./passkeys.ts";
import { setPolicy } from "./registering.ts";
import { logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const said = ({ page }: Browser) => page.text.replaceAll(/\s+/g, " ");

/** A person with one passkey who has just logged in by it, where no password is allowed. */
async function givenByPasskey(...before: readonly UserEvent[]) {
  await setPolicy(parties, { allowPassword: true }, parties.server.admin.organization);
  const person = await parties.givenPerson();
  const path = `/management/v1/users/${person.userId}/passwordless/_link`;
  const { link } = await parties.call("POST", path, {});
  const passkey = await registerAt(parties, person, String(link));
  await happen(parties.server, before, { id: person.userId });
  await setPolicy(parties, { allowPassword: false }, parties.server.admin.organization);
  const browser = parties.browser();
  await browser.open("/account");
  await browser.send({ userName: "" }, "passkey");
  await showPasskey(browser, passkey);
  expect(heading(browser.page)).toBe("Overview");
  return { person, browser };
}

describe("the only passkey, where no password is allowed,", () => {
  test("stays, unless there is an account elsewhere by which the person gets in", async () => {
    const { person, browser } = await givenByPasskey();
    await browser.open("/account/passkeys");
    expect(said(browser)).toContain("it’s your only way to log in");
    const { organization } = parties.server.admin;
    const idpId = await givenOIDCProvider(parties.server, organization, {
      clientSecret: "secret",
      name: v7(),
    });
    const payload = { idpId, externalUserId: v7(), displayName: "Ada" };
    const linked: UserEvent = { type: "user.human.externalidp.added", payload };
    await happen(parties.server, [linked], { id: person.userId });
    await setPolicy(parties, { allowPassword: false, idps: [idpId] }, organization);
    await browser.open("/account/passkeys");
    expect(said(browser)).not.toContain("it’s your only way to log in");
    await browser.send({}, "remove");
    expect((await parties.typesOf(person)).at(-2)).toBe("user.human.passwordless.token.removed");
  });
});

describe("a password", () => {
  test("is not chosen for the first time where the policy forbids it", async () => {
    const voided: UserEvent = {
      ...{ type: "user.credentials.voided", payload: { voided: [{ kind: "password" }] } },
    };
    const { person, browser } = await givenByPasskey(voided);
    await browser.open("/account/password");
    expect(said(browser)).toContain("Your organization doesn’t allow passwords.");
    const form = await browser.open("/account/sessions");
    const [, secret = ""] = /name="secret" value="([^"]+)"/.exec(form.text) ?? [];
    const body = new URLSearchParams({
      step: "change",
      secret,
      password: "a better horse battery",
    });
    const sent = { method: "POST", body, headers: { ...cookiesOf(browser), ...ofOwnPage } };
    const answered = await fetch(`${parties.server.url}/account/password`, sent);
    expect(answered.status).toBe(400);
    expect(await parties.typesOf(person)).not.toContain("user.human.password.changed");
  });

  test("that the organization of the person forbids leads to another way in", async () => {
    await setPolicy(parties, { allowPassword: false }, parties.server.admin.organization);
    const { browser } = await givenOwn(parties);
    expect([browser.page.status, heading(browser.page)]).toEqual([
      403,
      "You cannot log in this way",
    ]);
    expect(heading(await browser.send({}, "other"))).toBe("Log in");
  });
});

test("a fresh login that is cancelled leads back to who is logged in", async () => {
  await setPolicy(parties, {}, parties.server.admin.organization);
  const { browser } = await givenOwn(parties);
  parties.clock.nowMs += freshMs + 1_000;
  await browser.open("/account/email");
  expect(heading(browser.page)).toBe("Log in");
  await browser.send({}, "cancel");
  expect([browser.page.status, heading(browser.page)]).toEqual([200, "Overview"]);
});

test("a session that an administrator ended is told of as such", async () => {
  await setPolicy(parties, {}, parties.server.admin.organization);
  const { browser, person } = await givenOwn(parties);
  const elsewhere = parties.browser();
  await logIn(elsewhere, await parties.givenApp(), person);
  const path = `/management/v1/users/${person.userId}/sessions`;
  const { result } = await parties.call("POST", `${path}/_search`, {});
  const [first] = result as readonly { readonly id: string }[];
  await parties.call("DELETE", `${path}/${first?.id}`, {});
  const other = heading(await browser.open("/account/activity")) === "Log in" ? elsewhere : browser;
  await other.open("/account/activity");
  expect(said(other)).toContain("An administrator ended a session");
  expect(said(other)).not.toContain("You logged out");
});
