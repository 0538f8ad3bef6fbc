import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allowed, api, ask, question } from "./consenting.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;
beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("a consent for another address is none: the person is asked again", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await allowed(browser, app, person);
  const { project } = parties.server;
  const path = `/management/v1/projects/${project}/apps/${app.appId}/redirect_uris`;
  const answers: string[] = [];
  for (const redirect_uri of ["https://app.example.com/other", "https://evil.example/callback"]) {
    await parties.call("POST", path, { uri: redirect_uri });
    await ask(browser, app, undefined, { ...api, redirect_uri, prompt: "none" });
    const back = new URL(browser.page.url);
    answers.push(back.searchParams.get("error") ?? back.host);
  }
  expect(answers).toEqual(["app.example.com", "consent_required"]);
  const elsewhere = { ...api, redirect_uri: "https://evil.example/callback" };
  await ask(browser, app, undefined, elsewhere);
  expect(browser.page.text).toContain(question);
  expect(browser.page.text).toContain("evil.example");
  expect((await browser.send({}, "allow")).url).toContain("code=");
  // Both are known from then on.
  for (const asked of [api, elsewhere]) {
    await ask(browser, app, undefined, { ...asked, prompt: "none" });
    expect(browser.page.url).toContain("code=");
  }
});

test("a consent for another address, refused, leaves the one that was given", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await allowed(browser, app, person);
  const uri = "https://evil.example/callback";
  const { project } = parties.server;
  const path = `/management/v1/projects/${project}/apps/${app.appId}/redirect_uris`;
  await parties.call("POST", path, { uri });
  await ask(browser, app, undefined, { ...api, redirect_uri: uri });
  await browser.send({}, "deny");
  await ask(browser, app, undefined, { ...api, prompt: "none" });
  expect(browser.page.url).toContain("code=");
  await ask(browser, app, undefined, { ...api, prompt: "consent" });
  await browser.send({}, "deny");
  await ask(browser, app, undefined, { ...api, prompt: "none" });
  expect(new URL(browser.page.url).searchParams.get("error")).toBe("consent_required");
});
