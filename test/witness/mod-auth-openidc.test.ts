import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { OIDCAuthMethodType } from "../../gen/iam/app/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { launchChromium, newProfile, see } from "../browser/chromium.ts";
import { findChromium } from "../browser/find.ts";
import { allowing } from "../fetch/listener.ts";
import { freePort } from "../harness/port.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { type Apache, findApache, startApache } from "./apache.ts";

/**
 * A relying party that others wrote, in another language: mod_auth_openidc, certified as such. It
 * is set up as an operator does, and told nothing but where the provider is.
 */
const isThere = findApache() !== undefined && findChromium() !== undefined;
/** Where it is not installed, the tests count as skipped, and `test/runner/missing.ts` says so. */
const describeWithApache = isThere ? describe : describe.skip;

const echoed = ["REMOTE_USER", "OIDC_CLAIM_email", "OIDC_CLAIM_name", "OIDC_CLAIM_amr"];

describeWithApache("Apache with mod_auth_openidc, the service with TLS", () => {
  let directory: string;
  let server: TestServer;
  let apache: Apache;
  let browser: Browser;
  let site: string;

  beforeAll(async () => {
    const certificate = createCertificate("iam test");
    const publicUrl = (port: number) => `https://localhost:${port}`;
    const port = await freePort();
    const fetcher = createFetcher({ allow: allowing(`127.0.0.1/32:${port}`), http: true });
    server = await startServer({ certificate, publicUrl, fetcher, delivers: true });
    site = `http://localhost:${port}`;
    const app = await given(server, certificate.cert, site);
    directory = await mkdtemp(join(tmpdir(), "iam-test-"));
    const trusted = join(directory, "trusted.pem");
    await writeFile(trusted, certificate.cert);
    const issuer = publicUrl(server.port);
    apache = await startApache({
      directory,
      port,
      provider: [
        `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
        `OIDCCABundlePath ${trusted}`,
        `OIDCClientID ${app.clientId}`,
        `OIDCClientSecret ${app.clientSecret}`,
        `OIDCRedirectURI ${site}/protected/redirect_uri`,
        `OIDCCryptoPassphrase ${"k".repeat(32)}`,
        'OIDCScope "openid profile email"',
        ...["OIDCPKCEMethod S256", "OIDCRemoteUserClaim preferred_username"],
      ],
      pages: {
        "bye.html": "<h1>Bye</h1>",
        "protected/index.html": [
          "<h1>Members</h1><dl>",
          ...echoed.map((name) => `<dt>${name}<dd><!--#echo var="${name}" -->`),
        ].join("\n"),
      },
    });
    browser = await launchChromium({ hostname: "localhost", port: server.port, certificate });
  });
  afterAll(async () => {
    await browser?.close();
    await apache?.close();
    await server?.close();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  test("logs a person in and out", async () => {
    const page = await (await newProfile(browser)).newPage();
    const protocols = new Set<string>();
    page.on("response", async (response) => {
      if (response.url().startsWith("https:")) protocols.add(await response.httpVersion());
    });
    await logIn(page);
    const shown = await page.locator("dd").allInnerTexts();
    expect(shown).toEqual(["ada", "ada@example.com", "Ada Lovelace", "pwd"]);

    const bye = encodeURIComponent(`${site}/bye.html`);
    await page.goto(`${site}/protected/redirect_uri?logout=${bye}`);
    await see(page, "Log out");
    await page.getByRole("button", { name: "Log out" }).click();
    await see(page, "Bye");
    await page.goto(`${site}/protected/index.html`);
    await see(page, "Log in");
    expect(await apache.errors()).not.toMatch(/:(error|crit|alert|emerg)\]/);
    expect([...protocols]).toEqual(["HTTP/2.0"]);
  });

  test("hears that the person has logged out elsewhere", async () => {
    const context = await newProfile(browser);
    const page = await context.newPage();
    await logIn(page);
    const before = await server.head();
    const elsewhere = await context.newPage();
    await elsewhere.goto(`https://localhost:${server.port}/oidc/v1/end_session`);
    await elsewhere.getByRole("button", { name: "Log out" }).click();
    await see(elsewhere, "You’re logged out");
    expect(await becameOfTelling(before)).toBe("logout.sent");
    await page.goto(`${site}/protected/index.html`);
    await see(page, "Log in");
  });

  async function logIn(page: Page): Promise<void> {
    await page.goto(`${site}/protected/index.html`);
    await see(page, "Log in");
    await page.getByLabel("User name or email").fill(person.userName);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await see(page, "Members");
  }

  async function becameOfTelling(after: bigint): Promise<string> {
    for (;;) {
      const events = await server.events(after);
      const found = events.find(({ type }) => /^logout\.(?:sent|failed)$/.test(type));
      if (found !== undefined) return found.type;
      await pause(20);
    }
  }
});

const person = {
  userName: "ada",
  email: { email: "ada@example.com", isEmailVerified: true },
  profile: { firstName: "Ada", lastName: "Lovelace" },
  password: "correct horse battery",
};

/** Makes the person and the application; answers what Apache has to know of the latter. */
async function given({ url, project: projectId, admin }: TestServer, ca: string, site: string) {
  const transport = createGrpcTransport({ baseUrl: url, nodeOptions: { ca } });
  const management = createClient(ManagementService, transport);
  const headers = { authorization: `Bearer ${admin.token}` };
  const inside = site.replace("localhost", "127.0.0.1");
  await management.importHumanUser(person, { headers });
  const app = {
    projectId,
    name: "Apache",
    redirectUris: [`${site}/protected/redirect_uri`],
    postLogoutRedirectUris: [`${site}/bye.html`],
    backChannelLogoutUri: `${inside}/protected/redirect_uri?logout=backchannel`,
    authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_BASIC,
  };
  return await management.addOIDCApp(app, { headers });
}
