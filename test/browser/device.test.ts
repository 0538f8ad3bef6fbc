import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { OIDCAppType, OIDCAuthMethodType, OIDCGrantType } from "../../gen/iam/app/v1/app_pb.js";
import { texts } from "../../src/pages/translations.ts";
import { endProcesses } from "../harness/process.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";
import { type Service, startService } from "./service.ts";

interface Asked {
  readonly user_code: string;
  readonly verification_uri_complete: string;
}

const { login, password: field } = texts.en;
const [userName, password] = ["ada", "correct horse battery"];

describeInChromium("a login on a device", () => {
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    browser = await launchChromium(service.named);
    await service.management.importHumanUser(
      {
        ...{ userName, password, profile: { firstName: "Ada", lastName: "Lovelace" } },
        email: { email: "ada@example.com", isEmailVerified: true },
      },
      { headers: service.headers },
    );
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await service?.close();
  });

  /** What a device is told that asks for a code. */
  async function givenDevice(): Promise<Asked> {
    const { management, headers } = service;
    const { id: projectId } = await management.addProject({ name: "Home" }, { headers });
    const { clientId } = await management.addOIDCApp(
      {
        ...{ projectId, name: "Television", appType: OIDCAppType.OIDC_APP_TYPE_NATIVE },
        grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_DEVICE_CODE],
        authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE,
      },
      { headers },
    );
    const { port, certificate } = service.named;
    const device = request({
      ...{ host: "127.0.0.1", port, ca: certificate.cert, method: "POST" },
      path: "/oauth/v2/device_authorization",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    device.end(new URLSearchParams({ client_id: clientId, scope: "openid profile" }).toString());
    const [answer] = (await once(device, "response")) as [IncomingMessage];
    return JSON.parse(await text(answer)) as Asked;
  }

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  test("goes from the link to the end, and each of its pages is for everybody", async () => {
    const asked = await givenDevice();
    const page = await (await newProfile(browser)).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(asked.verification_uri_complete);
    await see(page, login.device.title);
    expect(await barriersOf(page, "everything")).toEqual([]);
    const code = page.getByLabel(login.device.label);
    expect(await code.inputValue()).toBe(asked.user_code);
    await code.fill("BCDF-GHJK");
    await page.keyboard.press("Enter");
    await page.getByText(login.device.wrong).waitFor();
    await code.fill(asked.user_code.toLowerCase());
    await page.keyboard.press("Enter");
    await see(page, login.title);
    await page.getByLabel(login.userName).fill(userName);
    await page.getByLabel(field.label, { exact: true }).fill(password);
    await press(page, login.submit);
    await see(page, login.device.consent.title);
    expect(await barriersOf(page, "everything")).toEqual([]);
    await page.getByText(login.device.consent.trust).waitFor();
    await press(page, login.consent.submit);
    await see(page, login.device.allowed.title);
    expect(await barriersOf(page, "everything")).toEqual([]);
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
  });
});
