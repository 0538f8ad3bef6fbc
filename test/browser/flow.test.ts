import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { texts } from "../../src/pages/translations.ts";
import { wrong } from "../cases/phones.ts";
import { inFull } from "../harness/in-full.ts";
import { type Site, startSite } from "../pages/site.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";
import { type FileServer, serveFiles } from "./files.ts";

const { en, de } = texts;
const password = "correct horse battery";
const phone = { phone: "+41446681800" };
const initialized = [
  "user.human.email.verified",
  "user.human.password.changed",
  "user.human.initialized",
];

describeInChromium("the pages", () => {
  let site: Site;
  let browser: Browser;
  let context: BrowserContext | undefined;
  let elsewhere: FileServer | undefined;

  beforeAll(async () => {
    // Forms come from where the pages are.
    site = await startSite({ publicUrl: (port) => `http://127.0.0.1:${port}` });
    browser = await launchChromium();
  });
  afterEach(async () => {
    await context?.close();
    await elsewhere?.close();
    elsewhere = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const at = (path: string) => site.server.url + path;
  const newPage = async (options: BrowserContextOptions = {}) => {
    context = await newProfile(browser, options);
    return await context.newPage();
  };

  inFull("say at the address alone where to go on", async () => {
    const page = await newPage();
    await page.goto(at("/"));
    await see(page, en.home.title);
    // Behind it is a login, which test/browser/login.test.ts goes through.
    const way = page.getByRole("link", { name: en.account.logIn });
    const href = await way.getAttribute("href");
    expect(new URL(String(href), page.url()).href).toBe(at("/account"));
  });

  describe("without scripts", () => {
    test("set up an account and verify a phone, in the browser's language", async () => {
      const page = await newPage({ javaScriptEnabled: false, locale: "de-CH" });
      const { userId, code, phoneCode } = await site.givenPerson({ phone });
      const before = await site.typesOf(userId);
      await page.goto(at(`/ui/initialize?userID=${userId}`));
      const codeField = page.getByLabel(de.code.label, { exact: true });

      await codeField.fill(wrong(code));
      await page.getByRole("button", { name: de.initialization.submitCode }).click();
      await page.getByRole("alert").getByText(de.code.wrong).waitFor();
      await codeField.fill(` ${code.slice(0, 3)} ${code.slice(3).toLowerCase()} `);
      await page.getByRole("button", { name: de.initialization.submitCode }).click();

      const passwordField = page.getByLabel(de.password.label, { exact: true });
      await passwordField.fill("short");
      await page.getByRole("button", { name: de.initialization.submit }).click();
      await page.getByRole("alert").getByText(de.password.wrong(8, 256)).waitFor();
      await passwordField.fill(password);
      await page.getByRole("button", { name: de.initialization.submit }).click();
      await see(page, de.done.account.title);

      await page.getByRole("link", { name: de.done.verifyPhone }).click();
      await codeField.fill(phoneCode.toLowerCase());
      await page.getByRole("button", { name: de.phone.submit }).click();
      await see(page, de.done.phone.title);
      expect(await site.typesOf(userId, before.length)).toEqual([
        "user.human.initialization.failed",
        ...initialized,
        "user.human.phone.verified",
      ]);
    });

    inFull("offer no box that would show the password", async () => {
      const page = await newPage({ javaScriptEnabled: false });
      const { link } = await site.givenPerson();
      await page.goto(at(link));
      await page.getByLabel(en.password.label, { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: en.password.show }).count()).toBe(0);
    });

    inFull("say that a passkey takes one, and offer no form that would do nothing", async () => {
      const page = await newPage({ javaScriptEnabled: false });
      const { passkeyLink } = await site.givenPerson({ requestPasswordlessRegistration: true });
      await page.goto(at(passkeyLink));
      await page.locator("noscript p", { hasText: en.passkey.needsScript }).waitFor();
      const main = page.locator("main");
      expect(await main.getByRole("button").count()).toBe(0);
      expect(await main.getByRole("textbox").count()).toBe(0);
    });
  });

  test("do with a keyboard alone, and show where it is", async () => {
    const page = await newPage();
    const { userId, link } = await site.givenPerson();
    const before = await site.typesOf(userId);
    await page.goto(at(link));
    const stops: string[] = [];
    while (stops.at(-1) !== "button") {
      await page.keyboard.press("Tab");
      stops.push(await focused(page));
    }
    expect(stops).toEqual(["username", "password", "show-password", "button"]);

    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    expect(await page.getByLabel(en.password.show).getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(en.password.wrong(8, 256)).waitFor();

    // What is wrong is where the keyboard is, and says so itself.
    expect(await focused(page)).toBe("password");
    const field = page.getByLabel(en.password.label, { exact: true });
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await field.getAttribute("aria-describedby")).toBe("password-error password-hint");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await see(page, en.done.account.title);
    expect(await site.typesOf(userId, before.length)).toEqual(initialized);
  });

  inFull("are not kept: the way back from the end leads to no form", async () => {
    const page = await newPage();
    const { link } = await site.givenPerson({ password });
    await page.goto(at(link));
    await page.getByRole("button", { name: en.initialization.submitKept }).click();
    await see(page, en.done.account.title);
    await page.goBack();
    await see(page, en.overLink.title);
  });

  inFull("say so where no passkey can be created: at an address of numbers", async () => {
    const page = await newPage();
    const { passkeyLink } = await site.givenPerson({ requestPasswordlessRegistration: true });
    await page.goto(at(passkeyLink));
    await page.getByRole("button", { name: en.passkey.submit }).press("Enter");
    await page.getByRole("alert").getByText(en.passkey.problems.address).waitFor();
    expect(await focused(page)).toBe("passkey-error");
  });

  test("may do nothing that is not theirs, and do not try to", async () => {
    const page = await newPage();
    elsewhere = await serveFiles(async () => undefined);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(at("/ui/"))) foreign.push(request.url());
    });
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    const { link, userId, passkeyLink } = await site.givenPerson({
      requestPasswordlessRegistration: true,
    });
    for (const path of [
      ...[link, passkeyLink, `/ui/initialize?userID=${userId}`],
      ...[`/ui/phone/verify?userID=${userId}`, `/ui/done?after=account&userID=${userId}`],
    ]) {
      expect((await page.goto(at(path)))?.status()).toBe(200);
    }
    expect({ foreign, said }).toEqual({ foreign: [], said: [] });

    await page.goto(at(link));
    const violations = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
      const seen = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        seen.push(effectiveDirective);
        if (seen.length === 4) resolve(seen.sort());
      });
      const add = (name, fields) => {
        document.body.append(Object.assign(document.createElement(name), fields));
      };
      add("script", { textContent: "document.title = 'run'" });
      add("style", { textContent: "body { display: none }" });
      add("img", { src: "http://127.0.0.1:${elsewhere.port}/picture" });
      fetch("http://127.0.0.1:${elsewhere.port}/data").catch(() => {});
    })`);
    expect(violations).toEqual(["connect-src", "img-src", "script-src-elem", "style-src-elem"]);
    expect(await page.title()).toBe(en.initialization.title);
  });

  inFull("are framed by nobody", async () => {
    const page = await newPage();
    const { link } = await site.givenPerson();
    const body = `<!doctype html><title>Elsewhere</title><iframe src="${at(link)}"></iframe>`;
    elsewhere = await serveFiles(async () => ({ contentType: "text/html", body }));
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame"));
    await page.goto(`http://127.0.0.1:${elsewhere.port}/`);
    expect((await refused).text()).toContain("frame-ancestors 'none'");
    expect(page.frames().map((frame) => frame.url())).not.toContain(at(link));
  });
});

/** Where the keyboard is: the id, or the name of the element; fails where that cannot be seen. */
async function focused(page: Page): Promise<string> {
  const { name, outline } = await page.evaluate<{
    readonly name: string;
    readonly outline: string;
  }>(
    `(({ activeElement: at }) => ({
      name: at.id || at.localName,
      outline: getComputedStyle(at).outlineStyle,
    }))(document)`,
  );
  expect({ name, outline }).toEqual({ name, outline: "solid" });
  return name;
}
