import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import type { Browser } from "playwright-core";
import { type App, begin, fetchTokens, type Parties, startParties } from "../provider/relying.ts";
import { describeInChromium, launchChromium, newProfile, see } from "./chromium.ts";
import { type FileServer, serveFiles } from "./files.ts";

/** A proxy that has the service below a path, which it takes away. */
interface Proxy {
  readonly url: string;
  /** Names the port that it leads to. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

async function startProxy(path: string): Promise<Proxy> {
  let target = 0;
  const pass = (from: IncomingMessage, to: ServerResponse) => {
    const { url = "", method, headers } = from;
    if (!url.startsWith(`${path}/`)) return void to.writeHead(404).end();
    const on = { port: target, host: "127.0.0.1", path: url.slice(path.length), method, headers };
    const passed = request(on, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    from.pipe(passed);
  };
  const server = createServer(pass).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}${path}`,
    leadTo: (there) => {
      target = there;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describeInChromium("a service below a path of its address", () => {
  let proxy: Proxy;
  let parties: Parties;
  let application: FileServer;
  let app: App;
  let browser: Browser;
  let here: string;

  beforeAll(async () => {
    proxy = await startProxy("/some/iam");
    parties = await startParties({ publicUrl: () => proxy.url });
    proxy.leadTo(parties.server.port);
    const page = (title: string) => ({ contentType: "text/html", body: `<h1>${title}</h1>` });
    application = await serveFiles(async (path) => page(path.startsWith("/in") ? "In" : "Out"));
    here = `http://localhost:${application.port}`;
    app = await parties.givenApp({
      redirectUris: [`${here}/in`],
      postLogoutRedirectUris: [`${here}/out`],
    });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await application?.close();
    await parties?.close();
    await proxy?.close();
  });

  test("logs a person in and out", async () => {
    const person = await parties.givenPerson();
    const page = await (await newProfile(browser)).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const begun = await begin(app, { redirect_uri: `${here}/in` });
    expect(begun.url.href).toMatch(`${proxy.url}/oauth/v2/authorize?`);
    await page.goto(begun.url.href);
    await see(page, "Log in");
    await page.getByLabel("User name or email").fill(person.userName);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await see(page, "In");
    const tokens = await fetchTokens(app, begun, page.url());
    expect(tokens.claims()).toMatchObject({ sub: person.userId, iss: proxy.url });
    await oidc.fetchUserInfo(app.config, tokens.access_token, person.userId);

    const silent = await begin(app, { redirect_uri: `${here}/in`, prompt: "none" });
    await page.goto(silent.url.href);
    expect(page.url()).toContain("code=");

    const leaving = oidc.buildEndSessionUrl(app.config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: `${here}/out`,
    });
    await page.goto(leaving.href);
    await see(page, "Log out");
    await page.getByRole("button", { name: "Log out" }).click();
    await see(page, "Out");
    await page.goto((await begin(app, { redirect_uri: `${here}/in` })).url.href);
    await see(page, "Log in");
    expect(complaints).toEqual([]);
  });
});
