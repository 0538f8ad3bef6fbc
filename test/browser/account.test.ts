import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { Browser, Page } from "playwright-core";
import { streamOf } from "../../src/domain/noun.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import type { Store } from "../../src/store/store.ts";
import { endProcesses } from "../harness/process.ts";
import { addAuthenticator } from "./authenticator.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";
import { publicUrl, type Service, startService } from "./service.ts";

const password = "correct horse battery";
const phone = "+41446681800";
const email = "ada@example.com";

describeInChromium("a person", () => {
  let service: Service;
  let browser: Browser;
  let passwords: Passwords;
  let store: Store | undefined;

  beforeAll(async () => {
    passwords = createPasswords({ random: randomBytes });
    service = await startService();
    browser = await launchChromium(service.named);
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await Promise.all([store?.close(), passwords?.close(), service?.close()]);
  });

  test("sets up an account, verifies a phone and creates a passkey, each once", async () => {
    const { userId, passwordlessRegistration } = await service.management.importHumanUser(
      {
        userName: "ada",
        profile: { firstName: "Ada", lastName: "Lovelace" },
        email: { email },
        phone: { phone },
        requestPasswordlessRegistration: true,
      },
      { headers: service.headers },
    );
    const page = await (await newProfile(browser)).newPage();
    const complaints = complaintsOf(page);

    await page.setContent(await service.mailTo(email));
    await page.getByRole("link").click();
    await see(page, "Set up your account");
    const mailLink = page.url();
    const field = page.getByLabel("Password", { exact: true });
    await field.pressSequentially("correct");
    await page.getByText("Too short: use at least 8 characters.").waitFor();
    await field.pressSequentially(password.slice("correct".length));
    await page.getByText("Long enough.").waitFor();
    expect(await field.getAttribute("type")).toBe("password");
    await page.getByRole("button", { name: "Show password" }).click();
    expect(await field.getAttribute("type")).toBe("text");
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Set up account" }).click();
    await see(page, "Your account is ready");

    const [code = ""] = /\b[A-Z0-9]{6}\b/.exec(await service.textTo(phone)) ?? [];
    await page.getByRole("link", { name: "Verify phone number" }).click();
    await see(page, "Verify your phone number");
    const phoneLink = page.url();
    await page.getByLabel("Code").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Verify" }).click();
    await see(page, "Your phone number is verified");

    const device = await addAuthenticator(page);
    const passkeyLink = passwordlessRegistration!.link;
    await page.goto(passkeyLink);
    await see(page, "Create a passkey");
    await device.recognises(false);
    await page.getByLabel("Name of the passkey").fill(" My laptop ");
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("alert").getByText("No passkey was created").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await device.recognises(true);
    await page.getByRole("button", { name: "Create passkey" }).click();
    await see(page, "Your passkey is ready");
    expect(complaints).toEqual([]);

    for (const link of [mailLink, passkeyLink]) {
      expect((await page.goto(link))?.status()).toBe(400);
      await see(page, "This link is no longer valid");
      await page.getByText("there is nothing left to do").waitFor();
      expect(await page.title()).toBe("Error: This link is no longer valid");
      expect(await barriersOf(page)).toEqual([]);
    }
    await page.goto(phoneLink);
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("alert").getByText("This code isn’t valid").waitFor();
    await page.getByText("Ask the person who created your account for a new code").waitFor();

    store = await service.stop();
    const stream = streamOf(user, userId);
    const all = await store.readStream(stream, 0, 100);
    // Of the passkey the person is told by mail, which may have left by now.
    const events = all.filter(({ type }) => !type.startsWith("user.human.notice."));
    expect(events.map(({ type }) => type).filter((type) => !type.endsWith(".sent"))).toEqual([
      "user.human.added",
      "user.human.initialization.code.added",
      "user.human.phone.code.added",
      "user.human.passwordless.initialization.code.added",
      "user.human.email.verified",
      "user.human.password.changed",
      "user.human.initialized",
      "user.human.phone.verified",
      "user.human.passwordless.token.added",
    ]);
    expect(events.filter(({ type }) => type.endsWith(".sent"))).toHaveLength(2);
    const own = events.slice(events.findIndex(({ type }) => type === "user.human.email.verified"));
    expect(new Set(own.map(({ actor }) => actor))).toEqual(new Set([userId]));

    const [stored] = await store.load([stream]);
    const { human } = JSON.parse(stored!.state!) as UserState;
    expect(human).toMatchObject({ isEmailVerified: true, phone: { isVerified: true } });
    expect(await passwords.verifyPassword(password, human!.passwordHash!)).toBe(true);
    expect(await passwords.verifyPassword("correct", human!.passwordHash!)).toBe(false);

    const [kept] = await device.passkeys();
    expect(kept).toMatchObject({ rpId: new URL(publicUrl).hostname, userId, isResident: true });
    const { publicKey, ...passkey } = JSON.parse(events.at(-1)!.payload);
    expect(passkey).toMatchObject({
      ...{ credentialId: kept?.credentialId, name: "My laptop" },
      ...{ transports: ["internal"] },
    });
    expect(coordinatesOf(publicKey)).toEqual([kept?.publicKey.x, kept?.publicKey.y]);

    const written = service.process.stdout() + service.process.stderr();
    for (const secret of [password, code, mailLink, passkeyLink]) {
      expect(written).not.toContain(secret);
    }
  });
});

/** What the browser says against the pages, and requests to anywhere else. */
function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${publicUrl}/`)) complaints.push(request.url());
  });
  return complaints;
}

/** The numbers of a public key (COSE, RFC 9053, 7): x, and y where its kind has one. */
function coordinatesOf(publicKey: string): readonly (string | undefined)[] {
  const key = isoCBOR.decodeFirst<Map<number, unknown>>(Buffer.from(publicKey, "base64url"));
  return [-2, -3].map((label) => {
    const bytes = key.get(label);
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64url") : undefined;
  });
}
