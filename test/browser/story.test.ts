import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../../gen/iam/app/v1/app_pb.js";
import { texts as messages } from "../../src/notify/message/translations.ts";
import { texts } from "../../src/pages/translations.ts";
import { endProcesses } from "../harness/process.ts";
import { codeAt } from "../provider/totp.ts";
import { type Authenticator, addAuthenticator } from "./authenticator.ts";
import { describeInChromium, launchChromium, newProfile, offerNoNames, see } from "./chromium.ts";
import { type Keyboard, keyboardOf } from "./keyboard.ts";
import { publicUrl, type Service, startService } from "./service.ts";

// One life with the service, from the first start on: each test goes on where the last one ended.

const { account, done, login, owner, passkey, password } = texts.en;
const callback = "https://app.example.com/callback";
const [ownersPassword, adasPassword] = ["an owner of horses", "correct horse battery"];
const [email, newEmail] = ["ada@example.com", "lovelace@example.com"];

/** A browser of somebody: its window, and the keys that are pressed there. */
interface Desk extends Keyboard {
  readonly context: BrowserContext;
  readonly page: Page;
}

describeInChromium("a life with the service, by keyboard alone", () => {
  let service: Service;
  let browser: Browser;
  let laptop: Desk;
  let other: Desk;
  let device: Authenticator;
  let userId: string;
  let clientId: string;
  let refreshToken: string;
  let recoveryCodes: readonly string[];

  beforeAll(async () => {
    service = await startService();
    browser = await launchChromium(service.named);
    laptop = await newDesk();
    other = await newDesk();
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await service?.close();
  });

  async function newDesk(): Promise<Desk> {
    const context = await newProfile(browser);
    await offerNoNames(context);
    await context.route(`${callback}*`, (route) => route.fulfill({ body: "Welcome." }));
    const page = await context.newPage();
    return { context, page, ...keyboardOf(page) };
  }

  /** Opens the link of the first mail to an address. */
  async function followMail({ page, follow }: Desk, address: string): Promise<void> {
    await page.setContent(await service.mailTo(address));
    await follow();
  }

  /** Goes to a part of the account page by its link. */
  async function openPart({ page, follow }: Desk, part: keyof typeof account.parts) {
    await follow(account.parts[part]);
    await see(page, account.parts[part]);
  }

  async function enter(at: Desk, userName: string, secret: string): Promise<void> {
    await see(at.page, login.title);
    await at.write({ [login.userName]: userName, [password.label]: secret });
    await at.press(login.submit);
  }

  /** Logs in to the account page with a recovery code. */
  async function enterByRecovery(at: Desk, userName: string, code: string): Promise<void> {
    await enter(at, userName, adasPassword);
    await see(at.page, login.otp.title);
    await at.press(login.recovery.offer);
    await see(at.page, login.recovery.title);
    await at.write({ [login.recovery.label]: code });
    await at.press(login.submit);
    await see(at.page, account.parts.overview);
  }

  /** What a token request of the application is answered. */
  async function askForTokens(form: { readonly [name: string]: string }) {
    const url = `https://127.0.0.1:${service.named.port}/oauth/v2/token`;
    const response = await laptop.context.request.post(url, {
      ...{ form: { client_id: clientId, ...form }, ignoreHTTPSErrors: true },
    });
    return (await response.json()) as { readonly [name: string]: string | undefined };
  }

  const refresh = () => askForTokens({ grant_type: "refresh_token", refresh_token: refreshToken });

  test("begins with the link of the owner, who finds the account page", async () => {
    const desk = await newDesk();
    await desk.page.goto(service.ownerLink);
    await see(desk.page, owner.title);
    await desk.write({ [owner.userName]: "grace", [owner.email]: "grace@example.com" });
    await desk.write({ [owner.firstName]: "Grace", [owner.lastName]: "Hopper" });
    await desk.write({ [password.label]: ownersPassword });
    await desk.press(owner.submit);
    await see(desk.page, done.owner.title);

    await desk.page.goto(publicUrl);
    await desk.follow(account.logIn);
    await enter(desk, "grace", ownersPassword);
    await see(desk.page, account.parts.overview);
    await desk.page.getByText("Grace Hopper").first().waitFor();
  });

  test("a person who is invited sets up the account by the link of the mail", async () => {
    const { management, headers } = service;
    const invited = await management.importHumanUser(
      {
        ...{ userName: "ada", email: { email } },
        profile: { firstName: "Ada", lastName: "Lovelace" },
      },
      { headers },
    );
    userId = invited.userId;
    await followMail(laptop, email);
    await see(laptop.page, texts.en.initialization.title);
    await laptop.write({ [password.label]: adasPassword });
    await laptop.press(texts.en.initialization.submit);
    await see(laptop.page, done.account.title);
  });

  test("creates a passkey on the laptop, and sets up an app with recovery codes", async () => {
    device = await addAuthenticator(laptop.page);
    await laptop.page.goto(publicUrl);
    await laptop.follow(account.logIn);
    await enter(laptop, "ada", adasPassword);
    await see(laptop.page, account.parts.overview);
    await openPart(laptop, "passkeys");
    await laptop.press(account.passkeys.add);
    await see(laptop.page, passkey.title);
    await laptop.write({ [passkey.name]: "My laptop" });
    await laptop.press(passkey.submit);
    await see(laptop.page, done.passkey.title);

    await laptop.page.goto(`${publicUrl}/account`);
    await openPart(laptop, "authenticator");
    await laptop.press(account.authenticator.begin);
    const secret = await laptop.page.locator("code").first().innerText();
    await laptop.write({ [login.otp.label]: codeAt(secret, Date.now()) });
    await laptop.press(account.authenticator.confirm);
    await laptop.page.getByText(account.authenticator.keep).waitFor();
    recoveryCodes = await laptop.page.locator(".codes code").allInnerTexts();
    expect(recoveryCodes).toHaveLength(10);
    await laptop.follow(account.authenticator.kept);
    await laptop.page.getByText(account.authenticator.hasOne).waitFor();
  });

  test("logs in to an application by the passkey, which then refreshes its tokens", async () => {
    const { management, headers } = service;
    const { id: projectId } = await management.addProject({ name: "Shop" }, { headers });
    const app = await management.addOIDCApp(
      {
        ...{ projectId, name: "Till", redirectUris: [callback] },
        responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_CODE],
        grantTypes: [
          OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE,
          OIDCGrantType.OIDC_GRANT_TYPE_REFRESH_TOKEN,
        ],
        authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE,
      },
      { headers },
    );
    clientId = app.clientId;
    const verifier = randomBytes(32).toString("base64url");
    await beginLogin(laptop, verifier);
    await laptop.press(login.passkey.offer);
    await laptop.page.getByText("Welcome.").waitFor();
    const code = new URL(laptop.page.url()).searchParams.get("code") ?? "";
    const tokens = await askForTokens({
      ...{ grant_type: "authorization_code", code, redirect_uri: callback },
      code_verifier: verifier,
    });
    refreshToken = tokens.refresh_token ?? "";
    const refreshed = await refresh();
    expect(refreshed).toMatchObject({ refresh_token: expect.any(String) });
    refreshToken = refreshed.refresh_token ?? "";
  });

  /** Begins a login anew, as the application does. */
  async function beginLogin({ page }: Desk, verifier: string): Promise<void> {
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: callback, response_type: "code", state: "s" },
      ...{ scope: "openid offline_access", prompt: "login consent" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    await page.goto(`${publicUrl}/oauth/v2/authorize?${query}`);
    await see(page, login.title);
  }

  test("loses the laptop, and an administrator ends what it was let in by", async () => {
    const { management, headers } = service;
    const [kept] = await device.passkeys();
    const tokenId = kept?.credentialId ?? "";
    await management.removeHumanPasswordless({ userId, tokenId }, { headers });
    await management.terminateAllUserSessions({ userId }, { headers });

    expect((await refresh()).error).toBe("invalid_grant");
    await beginLogin(laptop, randomBytes(32).toString("base64url"));
    await laptop.press(login.passkey.offer);
    await laptop.page.getByText(login.passkey.wrong).waitFor();
    await laptop.page.goto(`${publicUrl}/account`);
    await see(laptop.page, login.title);
  });

  test("comes back by the password and a recovery code, and changes the address", async () => {
    await other.page.goto(`${publicUrl}/account`);
    await enterByRecovery(other, "ada", recoveryCodes[0] ?? "");
    await openPart(other, "email");
    await other.write({ [account.email.label]: newEmail });
    await other.press(account.sendCode);
    await other.page.getByText(account.email.askCode).waitFor();
    // Colours are written in six letters as well.
    const said = (await service.mailTo(newEmail)).replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, " ");
    const [code = ""] = /\b[A-Z0-9]{6}\b/.exec(said) ?? [];
    await other.write({ [texts.en.code.label]: code });
    await other.press(account.email.verify);
    await other.page.getByRole("status").getByText(done.email.title).waitFor();
    await service.mailTo(email, messages.en.notice.about["email.changed"].subject);
    await openPart(other, "sessions");
    await other.press(account.sessions.endHere);
    await see(other.page, login.loggedOut.title);
  });

  test("logs in with the new address, and no more with the one before", async () => {
    await other.page.goto(`${publicUrl}/account`);
    await enter(other, email, adasPassword);
    await other.page.getByRole("alert").getByText(login.wrong).waitFor();
    await enterByRecovery(other, newEmail, recoveryCodes[1] ?? "");
    await other.page.getByText(newEmail).waitFor();
    const written = service.process.stdout() + service.process.stderr();
    for (const secret of [ownersPassword, adasPassword, refreshToken, ...recoveryCodes]) {
      expect(written).not.toContain(secret);
    }
    await openPart(other, "activity");
    for (const told of ["emailChanged", "codeUsed", "passkeyRemoved"] as const) {
      await other.page.getByText(account.activity.events[told]).first().waitFor();
    }
  });
});
