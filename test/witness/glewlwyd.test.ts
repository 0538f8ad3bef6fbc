import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { launchChromium, newProfile, see } from "../browser/chromium.ts";
import { findChromium } from "../browser/find.ts";
import { allowing } from "../fetch/listener.ts";
import { isFull } from "../harness/extent.ts";
import { freePort } from "../harness/port.ts";
import { heading } from "../provider/browser.ts";
import {
  type App,
  begin,
  callback,
  fetchTokens,
  type Parties,
  startParties,
} from "../provider/relying.ts";
import {
  findGlewlwyd,
  type Glewlwyd,
  glewlwydClient,
  glewlwydUser,
  startGlewlwyd,
} from "./glewlwyd.ts";

/** A provider that others wrote, in C: Debian's Glewlwyd, set up by its own API. */
const isThere = findGlewlwyd() !== undefined && findChromium() !== undefined;
/**
 * It runs in the long form. Where it is not installed, the tests count as skipped, and
 * `test/runner/missing.ts` says so.
 */
const describeWithGlewlwyd = isThere && isFull ? describe : describe.skip;

describeWithGlewlwyd("Glewlwyd", () => {
  let directory: string;
  let glewlwyd: Glewlwyd;
  let parties: Parties;
  let app: App;
  let idpId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "iam-test-"));
    const port = await freePort();
    glewlwyd = await startGlewlwyd(directory, port);
    const allow = allowing(`127.0.0.1/32:${port}`);
    parties = await startParties({ fetcher: createFetcher({ allow, http: true }) });
    app = await parties.givenApp();
    const { id } = await parties.call("POST", "/management/v1/idps/generic_oidc", {
      ...{ name: "Glewlwyd", issuer: glewlwyd.issuer, ...glewlwydClient, usePkce: true },
      scopes: ["openid", "profile", "email"],
      providerOptions: { isLinkingAllowed: true, isCreationAllowed: true },
    });
    idpId = String(id);
    await glewlwyd.serve(`${parties.server.url}/idps/${idpId}/callback`);
  });
  afterAll(async () => {
    await parties?.close();
    await glewlwyd?.close();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  /** Begins a login, goes there as its user, and comes back. */
  async function come() {
    const begun = await begin(app, { idp_hint: idpId });
    const browser = parties.browser();
    const { url } = await browser.open(begun.url.href);
    const page = await browser.open(await glewlwyd.visit(url));
    return { begun, browser, page };
  }

  const linksOf = async (userId: unknown) => {
    const path = `/management/v1/users/${userId}/idps/_search`;
    const { result = [] } = await parties.call("POST", path, {});
    return result as readonly { readonly providedUserId: string }[];
  };

  test("links, logs in, unlinks, makes an account and is refused", async () => {
    const person = await parties.givenPerson();
    const first = await come();
    expect(heading(first.page)).toBe("No account is linked yet");
    expect(first.page.text).toContain(glewlwydUser.name);
    await first.browser.send({}, "external-link");
    const { userName, password } = person;
    await first.browser.send({ userName, password }, "password");
    const [link] = await linksOf(person.userId);
    const externalUserId = String(link?.providedUserId);

    const again = await come();
    const claims = (await fetchTokens(app, again.begun, again.page.url)).claims();
    expect(claims).toMatchObject({ sub: person.userId, amr: ["fed"] });

    const path = `/management/v1/users/${person.userId}/idps/${idpId}/${externalUserId}`;
    await parties.call("DELETE", path);
    expect(await linksOf(person.userId)).toEqual([]);
    const third = await come();
    expect(heading(third.page)).toBe("No account is linked yet");
    await third.browser.send({}, "external-new");
    const account = { userName: "ada", firstName: "Ada", lastName: "Lovelace" };
    const { email } = glewlwydUser;
    const back = await third.browser.send({ ...account, email }, "external-account");
    const made = (await fetchTokens(app, third.begun, back.url)).claims();
    expect((await linksOf(made?.sub)).map((one) => one.providedUserId)).toEqual([externalUserId]);

    expect(await subInChromium()).toBe(made?.sub);

    await parties.call("POST", `/management/v1/idps/${idpId}/_deactivate`, {});
    const page = await parties.browser().open((await begin(app, { idp_hint: idpId })).url.href);
    expect([heading(page), page.text.includes("Glewlwyd")]).toEqual(["Log in", false]);
    await parties.call("POST", `/management/v1/idps/${idpId}/_reactivate`, {});
  });

  /** Logs its user in to the application, in Chromium; answers who that is here. */
  async function subInChromium(): Promise<string | undefined> {
    const chromium = await launchChromium();
    try {
      const context = await newProfile(chromium);
      await context.addCookies([...(await glewlwyd.cookies())]);
      const page = await context.newPage();
      const begun = await begin(app);
      await page.goto(begun.url.href);
      await see(page, "Log in");
      const asked = page.waitForRequest((one) => one.url().startsWith(`${glewlwyd.issuer}/auth`));
      await page.getByRole("button", { name: "Continue with Glewlwyd" }).click();
      const back = page.waitForRequest((one) => one.url().startsWith(callback));
      // What its own pages do when the person has gone on. The application itself is nowhere.
      await page.goto(`${(await asked).url()}&g_continue`).catch(() => {});
      const { searchParams } = new URL((await back).url());
      const found = `${callback}?${searchParams}`;
      return (await fetchTokens(app, begun, found)).claims()?.sub;
    } finally {
      await chromium.close();
    }
  }
});
