import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { heading } from "./browser.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("try", async () => {
  const app = await parties.givenApp({
    redirectUris: [],
    responseTypes: [],
    appType: "OIDC_APP_TYPE_NATIVE",
    grantTypes: ["OIDC_GRANT_TYPE_DEVICE_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
  });
  const person = await parties.givenPerson();
  const asked = await oidc.initiateDeviceAuthorization(app.config, {
    scope: "openid profile offline_access",
  });
  console.log(asked);
  const browser = parties.browser();
  await browser.open(asked.verification_uri_complete ?? "");
  console.log(browser.page.url, heading(browser.page));
  await browser.send({ user_code: asked.user_code });
  console.log(browser.page.url, heading(browser.page), browser.page.text);
  await browser.send({ ...person }, "password");
  console.log(browser.page.url, heading(browser.page), browser.page.text);
  await browser.send({}, "allow");
  console.log(browser.page.url, heading(browser.page), browser.page.text);
  const tokens = await oidc.pollDeviceAuthorizationGrant(app.config, asked);
  console.log(tokens, tokens.claims());
});
