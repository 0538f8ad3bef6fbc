import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { post } from "./asking.ts";
import { heading } from "./browser.ts";
import { ask, devicePath, enter, enterAs, ofDevices, pages, poll } from "./devices.ts";
import { givenProjectOf, grantRoles } from "./granting.ts";
import { givenRuled } from "./policies.ts";
import { type App, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  [app, person] = [await parties.givenApp(ofDevices), await parties.givenPerson()];
});
afterAll(() => parties.close());

const refused = (error: string) => ({ status: 400, body: expect.objectContaining({ error }) });
const pending = refused("authorization_pending");

describe("what a login checks holds on devices:", () => {
  test("a second factor that is forced is set up first", async () => {
    const ruled = await givenRuled(parties, { forceMfa: true });
    const forced = await ruled.givenApp(ofDevices);
    const browser = parties.browser();
    const asked = await ask(forced);
    await enterAs(browser, asked, await parties.givenPerson());
    expect(heading(browser.page)).toBe("Set up an authenticator app");
    expect(await poll(parties, forced, asked)).toEqual(pending);
  });

  test("a session that shows less than a policy asks for is not enough", async () => {
    const browser = parties.browser();
    await enterAs(browser, await ask(app), person);
    const forced = await (await givenRuled(parties, { forceMfa: true })).givenApp(ofDevices);
    expect(heading(await enter(browser, await ask(forced)))).toBe("Log in");
  });

  test("who may not log in to the project is told, and so is the device", async () => {
    const project = await givenProjectOf(parties, ["user"], { projectRoleCheck: true });
    const checked = await parties.givenApp(ofDevices, project);
    const [asked, browser, other] = [
      await ask(checked),
      parties.browser(),
      await parties.givenPerson(),
    ];
    expect(heading(await enterAs(browser, asked, other))).toBe(pages.denied);
    expect(await poll(parties, checked, asked)).toEqual(refused("access_denied"));

    const path = await grantRoles(parties, other, project, ["user"]);
    const [allowed, late] = [await ask(checked), await ask(checked)];
    await enterAs(browser, allowed, other);
    await browser.send({}, "allow");
    expect((await poll(parties, checked, allowed)).status).toBe(200);
    await enter(browser, late);
    await browser.send({}, "allow");
    await parties.call("POST", `${path}/_deactivate`, {});
    expect(await poll(parties, checked, late)).toEqual(refused("invalid_grant"));
  });

  test("who asks for a class that is not reached is told so", async () => {
    const essential = { essential: true, value: "urn:iam:acr:mfa" };
    const asked = await ask(app, { claims: JSON.stringify({ id_token: { acr: essential } }) });
    await enterAs(parties.browser(), asked, person);
    const error = "unmet_authentication_requirements";
    expect(await poll(parties, app, asked)).toEqual(refused(error));
  });

  test("a session that an administrator ended meanwhile gives no tokens", async () => {
    const [asked, browser, other] = [
      await ask(app),
      parties.browser(),
      await parties.givenPerson(),
    ];
    await enterAs(browser, asked, other);
    await browser.send({}, "allow");
    const sessions = `/management/v1/users/${other.userId}/sessions`;
    await parties.call("POST", `${sessions}/_terminate`, {});
    expect(await poll(parties, app, asked)).toEqual(refused("invalid_grant"));
  });
});

describe("only applications in use that were created for devices ask:", () => {
  test("one without the grant is refused, at the end too where it had it", async () => {
    const without = await parties.givenApp();
    const told = await post(parties, devicePath, { client_id: without.clientId });
    expect(told).toEqual(refused("unauthorized_client"));
    const lost = await parties.givenApp(ofDevices);
    const [asked, entered] = [await ask(lost), await ask(lost)];
    const browser = parties.browser();
    await enterAs(browser, entered, person);
    await parties.call("PUT", `${pathOf(lost)}/oidc_config`, {
      ...{ redirectUris: ["https://app.example.com/callback"] },
      ...{ authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
    });
    expect((await browser.send({}, "allow")).status).toBe(400);
    expect((await enter(parties.browser(), asked)).status).toBe(400);
    for (const one of [asked, entered]) {
      expect(await poll(parties, lost, one)).toEqual(refused("unauthorized_client"));
    }
  });

  test("one that is out of use, or whose project is, is not known", async () => {
    const { id } = await parties.call("POST", "/management/v1/projects", { name: v7() });
    const inactive = await parties.givenApp(ofDevices, String(id));
    for (const path of [`/management/v1/projects/${id}`, pathOf(inactive, String(id))]) {
      const asked = await ask(inactive);
      await parties.call("POST", `${path}/_deactivate`, {});
      const told = await post(parties, devicePath, { client_id: inactive.clientId });
      expect([told.status, told.body.error]).toEqual([401, "invalid_client"]);
      expect((await enter(parties.browser(), asked)).status).toBe(400);
      expect((await poll(parties, inactive, asked)).body.error).toBe("invalid_client");
      await parties.call("POST", `${path}/_reactivate`, {});
      expect(await poll(parties, inactive, asked)).toEqual(pending);
    }
  });

  test("one with a redirect URI logs in both ways", async () => {
    const grantTypes = [...ofDevices.grantTypes, "OIDC_GRANT_TYPE_AUTHORIZATION_CODE"];
    const both = await parties.givenApp({ grantTypes });
    const asked = await ask(both);
    const browser = parties.browser();
    await enterAs(browser, asked, person);
    await browser.send({}, "allow");
    expect((await poll(parties, both, asked)).status).toBe(200);
  });

  test("parameters are bounded as those of a login are", async () => {
    const long = { client_id: app.clientId, scope: "openid", nonce: "n".repeat(2_100) };
    expect(await post(parties, devicePath, long)).toEqual(refused("invalid_request"));
  });
});

function pathOf({ appId }: App, project = parties.server.project): string {
  return `/management/v1/projects/${project}/apps/${appId}`;
}
