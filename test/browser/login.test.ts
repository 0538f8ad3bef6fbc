import { createHash, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../../gen/iam/app/v1/app_pb.js";
import { texts } from "../../src/pages/translations.ts";
import { endProcesses } from "../harness/process.ts";
import { addAuthenticator } from "./authenticator.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile, offerNoNames, see } from "./chromium.ts";
import { type FileServer, serveFiles } from "./files.ts";
import { publicUrl, type Service, startService } from "./service.ts";

const { account, login } = texts.en;
const password = "correct horse battery";

describeInChromium("a login", () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let application: FileServer;
  let callback: string;
  /** A place of the application that leads on to another origin. */
  let onward: string;
  let clientId: string;

  beforeAll(async () => {
    service = await startService();
    browser = await launchChromium(service.named);
    application = await serveFiles(async (path) => {
      const { port } = application;
      const location = path.startsWith("/on") ? `http://127.0.0.1:${port}/home` : undefined;
      return { contentType: "text/html", body: "", ...(location && { location }) };
    });
    callback = `http://localhost:${application.port}/callback`;
    onward = `http://localhost:${application.port}/on`;
    clientId = await givenApp();
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await Promise.all([service?.close(), application?.close()]);
  });

  async function givenApp(): Promise<string> {
    const { management, headers } = service;
    const { id: projectId } = await management.addProject({ name: "Shop" }, { headers });
    const app = await management.addOIDCApp(
      {
        ...{ projectId, name: "Till", redirectUris: [callback, onward] },
        ...{ postLogoutRedirectUris: [onward], devMode: true },
        responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_CODE],
        grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE],
        authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE,
      },
      { headers },
    );
    return app.clientId;
  }

  async function givenPerson(userName: string) {
    return await service.management.importHumanUser(
      {
        ...{ userName, password, requestPasswordlessRegistration: true },
        profile: { firstName: "Ada", lastName: "Lovelace" },
        email: { email: `${userName}@example.com`, isEmailVerified: true },
      },
      { headers: service.headers },
    );
  }

  /** Opens a window of a person who has just got a device; it may offer passkeys among names. */
  async function newWindow({ offersPasskeys = false } = {}): Promise<Page> {
    context = await newProfile(browser);
    if (!offersPasskeys) await offerNoNames(context);
    return await context.newPage();
  }

  /** Begins a login, as an application does. */
  async function begin(at: Page, state: string, to = callback, mode = "query"): Promise<void> {
    await open(at, state, to, mode);
    await see(at, login.title);
  }

  async function open(at: Page, state: string, to = callback, mode = "query"): Promise<void> {
    const challenge = createHash("sha256").update(randomBytes(32)).digest("base64url");
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: to, response_type: "code", scope: "openid" },
      ...{ state, code_challenge: challenge, code_challenge_method: "S256", prompt: "login" },
      response_mode: mode,
    });
    await at.goto(`${publicUrl}/oauth/v2/authorize?${query}`);
  }

  async function fillIn(at: Page, userName: string): Promise<void> {
    await at.getByLabel(login.userName).fill(userName);
    await at.getByLabel(texts.en.password.label, { exact: true }).fill(password);
  }

  const press = (at: Page, name: string) => at.getByRole("button", { name, exact: true }).click();

  /** Waits until the application has a code for the login that it began with the state. */
  async function arrive(at: Page, state: string): Promise<void> {
    await at.waitForURL((url) => url.href.startsWith(callback));
    const { searchParams } = new URL(at.url());
    expect([searchParams.get("state"), searchParams.get("error")]).toEqual([state, null]);
    expect(searchParams.get("code")).toMatch(/^[\w-]{20,}$/);
  }

  test("takes a passkey, without a name and with it, and shows where somebody is", async () => {
    const { userId, passwordlessRegistration } = await givenPerson("ada");
    page = await newWindow();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const device = await addAuthenticator(page);
    await page.goto(passwordlessRegistration?.link ?? "");
    await press(page, texts.en.passkey.submit);
    await see(page, texts.en.done.passkey.title);

    await begin(page, "nameless");
    const protocol = 'performance.getEntriesByType("navigation")[0].nextHopProtocol';
    expect(await page.evaluate(protocol)).toBe("h2");
    expect(await barriersOf(page)).toEqual([]);
    await press(page, login.passkey.offer);
    await arrive(page, "nameless");
    const [kept] = await device.passkeys();
    expect(kept).toMatchObject({ userId, isResident: true });

    await device.recognises(false);
    await begin(page, "cancelled");
    await press(page, login.passkey.offer);
    await page.getByRole("alert").getByText(login.passkey.problems.cancelled).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await device.recognises(true);
    // As the page is found by who goes back to it, where the browser has kept it.
    await page.evaluate(`
      document.getElementById("passkey-show").disabled = true;
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    `);
    await press(page, login.passkey.submit);
    await arrive(page, "cancelled");

    await device.forgetsPeople();
    await begin(page, "named");
    await press(page, login.passkey.offer);
    await page.getByRole("alert").getByText(login.passkey.problems.cancelled).waitFor();
    await press(page, login.passkey.other);
    await page.getByLabel(login.userName).fill("ada");
    await press(page, login.passkey.offer);
    await arrive(page, "named");

    await page.goto(publicUrl);
    await page.getByRole("link", { name: texts.en.account.logIn }).click();
    await see(page, account.parts.overview);
    await page.getByRole("link", { name: account.parts.sessions }).click();
    await see(page, account.parts.sessions);
    await page.getByText(account.sessions.here).waitFor();
    await page.getByText(`with: ${texts.en.login.factors.passkey}`).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    for (const { name, value, secure, httpOnly, sameSite } of await context.cookies()) {
      expect({ name, secure, httpOnly, sameSite }).toEqual({
        ...{ name: expect.stringMatching(/^__Host-|^__Secure-/), secure: true },
        ...{ httpOnly: true, sameSite: "Lax" },
      });
      expect(value).not.toBe("");
    }
    await press(page, account.sessions.endHere);
    await see(page, login.loggedOut.title);
    expect(complaints).toEqual([]);
  });

  test("takes a passkey that is chosen where the name is typed, without a prompt", async () => {
    const { passwordlessRegistration } = await givenPerson("hedy");
    page = await newWindow({ offersPasskeys: true });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const device = await addAuthenticator(page);
    await page.goto(passwordlessRegistration?.link ?? "");
    await press(page, texts.en.passkey.submit);
    await see(page, texts.en.done.passkey.title);

    // Where nobody is recognised the page stays as it is, and takes a name.
    await device.recognises(false);
    await begin(page, "typed");
    const name = page.getByLabel(login.userName);
    expect(await name.getAttribute("autocomplete")).toBe("username webauthn");
    expect(await page.evaluate("document.activeElement.id")).toBe("username");
    expect(await page.getByRole("alert").count()).toBe(0);
    await fillIn(page, "hedy");
    await press(page, login.submit);
    await arrive(page, "typed");

    await device.recognises(true);
    await open(page, "chosen");
    await arrive(page, "chosen");
    expect(complaints).toEqual([]);
  });

  test("stands beside another in a second window, and is over once it was finished", async () => {
    await givenPerson("grace");
    const one = await newWindow();
    const two = await context.newPage();
    await begin(one, "one");
    await begin(two, "two");
    const same = await context.newPage();
    await same.goto(one.url());
    await see(same, login.title);
    for (const [at, state] of [
      [two, "two"],
      [one, "one"],
    ] as const) {
      await fillIn(at, "grace");
      await press(at, login.submit);
      await arrive(at, state);
    }
    // The same login, sent once more from where it still stands.
    await fillIn(same, "grace");
    await press(same, login.submit);
    await see(same, login.expired.title);
    await one.goBack();
    await see(one, login.expired.title);
    expect(await barriersOf(one)).toEqual([]);
    await one.goForward();
    await arrive(one, "one");
  });

  test("leads on where the application leads to another origin, and so does a logout", async () => {
    await givenPerson("joan");
    const at = await newWindow();
    const home = `http://127.0.0.1:${application.port}/home`;
    await begin(at, "onward", onward);
    await fillIn(at, "joan");
    await press(at, login.submit);
    await at.waitForURL(home);
    const asked = { client_id: clientId, post_logout_redirect_uri: onward };
    await at.goto(`${publicUrl}/oidc/v1/end_session?${new URLSearchParams(asked)}`);
    await see(at, login.logout.title);
    await press(at, login.logout.submit);
    await at.waitForURL(home);
  });

  test.each([
    ["by itself", true],
    ["by its button, without scripts", false],
  ])("tells the application by a form, which goes there %s", async (_how, javaScriptEnabled) => {
    const [name, complaints]: [string, string[]] = [`mary-${javaScriptEnabled}`, []];
    await givenPerson(name);
    context = await newProfile(browser, { javaScriptEnabled });
    const at = await context.newPage();
    at.on("console", (message) => complaints.push(message.text()));
    await begin(at, name, onward, "form_post");
    await fillIn(at, name);
    const sent = at.waitForRequest((request) => request.url() === onward);
    await press(at, login.submit);
    if (!javaScriptEnabled) await press(at, login.onward.submit);
    const told = new URLSearchParams((await sent).postData() ?? "");
    expect([told.get("state"), told.get("iss")]).toEqual([name, publicUrl]);
    expect(told.get("code")).toMatch(/^[\w-]{20,}$/);
    await at.waitForURL(`http://127.0.0.1:${application.port}/home`);
    await at.goto(`${publicUrl}/account/sessions`);
    await press(at, account.sessions.endHere);
    await at.goto(`${publicUrl}/oidc/v1/end_session`);
    if (!javaScriptEnabled) await press(at, login.onward.submit);
    await see(at, login.loggedOut.title);
    expect(complaints).toEqual([]);
  });
});
