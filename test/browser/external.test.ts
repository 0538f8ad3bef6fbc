import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { texts } from "../../src/pages/translations.ts";
import { html, htmlText } from "../../src/text/html.ts";
import { allowing } from "../fetch/listener.ts";
import { type ExternalParties, startExternal } from "../provider/external.ts";
import { settingsOf, startJWTSite } from "../provider/jwt-site.ts";
import { type App, begin, callback, startParties } from "../provider/relying.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";

const { login, account, owner, password } = texts.en;
const { external } = login;

describeInChromium("a login by an account elsewhere", () => {
  let parties: ExternalParties;
  let app: App;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    parties = await startExternal();
    app = await parties.givenApp();
    await parties.givenProvider();
    browser = await launchChromium();
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    await browser?.close();
    await parties?.close();
  });

  async function newWindow(): Promise<void> {
    context = await newProfile(browser);
    page = await context.newPage();
    // The application itself is nowhere.
    await page.route(`${callback}**`, (route) => route.fulfill({ body: "here" }));
  }

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const elsewhere = htmlText(external.offer(html`Elsewhere`));

  /** Begins a login, and goes to the provider as somebody. */
  async function goAs(sub: string): Promise<void> {
    parties.foreign.be(sub);
    await page.goto((await begin(app)).url.href);
    await see(page, login.title);
    expect(await barriersOf(page)).toEqual([]);
    await press(elsewhere);
  }

  async function arrive(): Promise<void> {
    await page.waitForURL((url) => url.href.startsWith(callback));
    expect(new URL(page.url()).searchParams.get("code")).toMatch(/^[\w-]{20,}$/);
  }

  test("creates an account, and logs in by it from then on", async () => {
    parties.foreign.users.mary = { email: "mary@example.org", email_verified: true };
    await newWindow();
    await goAs("mary");
    await see(page, external.choose.title);
    expect(await barriersOf(page)).toEqual([]);
    await press(login.register.offer);
    await see(page, external.create.title);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel(owner.firstName).fill("Mary");
    await page.getByLabel(owner.lastName).fill("Somerville");
    await press(login.register.way.submit);
    await arrive();

    await context.close();
    await newWindow();
    await goAs("mary");
    await arrive();
  });

  test("links an account behind a password, and unlinks it on the account page", async () => {
    const person = await parties.givenPerson();
    await newWindow();
    await goAs("linked");
    await press(external.choose.link);
    await see(page, login.title);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel(login.userName).fill(person.userName);
    await page.getByLabel(password.label, { exact: true }).fill(person.password);
    await press(login.submit);
    await arrive();

    await page.goto(`${parties.server.url}/account/links`);
    await see(page, account.parts.links);
    await page.getByText("Elsewhere").waitFor();
    await press(account.links.remove);
    await page.getByText(account.links.none).waitFor();
    expect(await parties.toldOf(person)).toEqual(["externalidp.added", "externalidp.removed"]);
  });

  test("logs somebody in by a token that the proxy of a site hands over", async () => {
    const site = await startJWTSite(() => here.server.url);
    const allow = allowing(`127.0.0.1/32:${site.port}`);
    const here = await startParties({ fetcher: createFetcher({ allow, http: true }) });
    try {
      const path = "/management/v1/idps/generic_jwt";
      const { id } = await here.call("POST", path, settingsOf(site));
      const link = { configId: String(id), externalUserId: "ada", displayName: "Ada" };
      await here.givenPerson({ idps: [link] });
      const now = Math.floor(Date.now() / 1_000);
      site.token = () => site.sign({ sub: "ada", iss: site.issuer, iat: now, exp: now + 300 });
      await newWindow();
      await page.goto((await begin(await here.givenApp())).url.href);
      await press(htmlText(external.offer(html`Site`)));
      await arrive();
    } finally {
      await here.close();
      await site.close();
    }
  });

  test("says what to do for who has cancelled there", async () => {
    await newWindow();
    parties.foreign.be(undefined);
    await page.goto((await begin(app)).url.href);
    await press(elsewhere);
    await see(page, external.problems.denied.title);
    expect(await barriersOf(page)).toEqual([]);
    await press(external.other);
    await see(page, login.title);
  });
});
