import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { endProcesses } from "../harness/process.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";
import { publicUrl, type Service, startService } from "./service.ts";

const callback = "https://app.example.com/callback";
const [password, another] = ["correct horse battery", "a better horse battery"];
const email = "grace@example.com";

describeInChromium("the owner of a new instance", () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await startService();
    browser = await launchChromium(service.named);
    context = await newProfile(browser);
    await context.route(`${callback}*`, (route) => route.fulfill({ body: "Welcome." }));
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await service?.close();
  });

  test("comes in by the link, forgets the password, and is led on to the application", async () => {
    const page = await context.newPage();
    await page.goto(service.ownerLink);
    await see(page, "Become an owner");
    expect(await barriersOf(page)).toEqual([]);
    await fill(page, { "User name": "grace", Email: email });
    await fill(page, { "First name": "Grace", "Last name": "Hopper", Password: password });
    await page.getByRole("button", { name: "Become an owner" }).click();
    await see(page, "You are now an owner");

    await page.goto(await givenLogin());
    await fill(page, { "User name or email": email });
    await page.getByRole("button", { name: "Forgot password?" }).click();
    await see(page, "Reset your password");
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.getByLabel("User name or email").inputValue()).toBe(email);
    await page.getByRole("button", { name: "Send email" }).click();
    await see(page, "Check your email");
    expect(await barriersOf(page)).toEqual([]);

    const mail = await context.newPage();
    await mail.setContent(await service.mailTo(email));
    await mail.getByText("at Default").first().waitFor();
    await mail.getByRole("link").first().click();
    await see(mail, "Choose a new password");
    expect(mail.url().startsWith(`${publicUrl}/ui/password?`)).toBe(true);
    await mail.getByText("Grace Hopper at Default").waitFor();
    expect(await barriersOf(mail)).toEqual([]);
    await fill(mail, { "New password": another });
    await mail.getByRole("button", { name: "Change password" }).click();
    await see(mail, "Your password was changed");
    expect(await barriersOf(mail)).toEqual([]);
    await mail.getByRole("link", { name: "Log in" }).click();
    await see(mail, "Log in");
    await fill(mail, { "User name or email": "grace", Password: another });
    await mail.getByRole("button", { name: "Log in", exact: true }).click();
    await mail.getByText("Welcome.").waitFor();
    expect(new URL(mail.url()).searchParams.get("code")).toMatch(/^[\w-]+$/);
  });

  /** Where an application sends people who log in to it. */
  async function givenLogin(): Promise<string> {
    const { headers, management } = service;
    const { result: projects } = await management.listProjects({}, { headers });
    const { clientId } = await management.addOIDCApp(
      {
        projectId: projects[0]?.id ?? "",
        name: "Compiler",
        redirectUris: [callback],
      },
      { headers },
    );
    const asked = { client_id: clientId, redirect_uri: callback, response_type: "code" };
    return `${publicUrl}/oauth/v2/authorize?${new URLSearchParams({ ...asked, scope: "openid" })}`;
  }
});

async function fill(page: Page, fields: { readonly [label: string]: string }): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
}
