import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { tokenFile } from "../../src/start/first-start.ts";
import { launchChromium, newProfile, see } from "../browser/chromium.ts";
import { findChromium } from "../browser/find.ts";
import { endProcesses, startProcess } from "../harness/process.ts";
import { endExamples } from "./example.ts";
import { type Done, follow, installLibraries, type Reader } from "./page.ts";

/** The pages of docs/start: what people do there leads to what they say, with real libraries. */

const directory = await mkdtemp(join(tmpdir(), "iam-test-"));
afterAll(() => rm(directory, { recursive: true }));

const missing =
  findChromium() === undefined
    ? "there is no Chromium (apt-get install chromium)"
    : await installLibraries(directory);
if (missing !== undefined) process.stderr.write(`docs/start was not tested: ${missing}\n`);

// Nothing can take the place of a browser or the libraries: the line above says what is missing.
(missing === undefined ? describe : describe.skip)("docs/start", () => {
  let reader: Reader;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const data = join(directory, "data");
    const service = startProcess([], { env: { IAM_PORT: "0", IAM_DATA_DIR: data } });
    const { port } = new URL(await service.listening);
    const token = (await readFile(join(data, tokenFile), "utf8")).trim();
    reader = { directory, url: `http://localhost:${port}`, token };
    browser = await launchChromium();
  });
  afterEach(async () => {
    await page?.context().close();
    await endExamples();
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
  });

  /** Does the page with these texts replaced, each of which has to be there. */
  async function typed(name: string, ...changes: readonly (readonly [string, string])[]) {
    return await follow(reader, name, (text) =>
      changes.reduce((before, [from, to]) => {
        expect(before).toContain(from);
        return before.replaceAll(from, to);
      }, text),
    );
  }

  /** Opens an application in a browser that nobody has used, once it says that it is there. */
  async function open(done: Done, says: RegExp, path = "/"): Promise<void> {
    await done.says(says);
    page = await (await newProfile(browser)).newPage();
    await page.goto(done.here + path);
  }

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

  async function logIn(): Promise<void> {
    await see(page, "Log in");
    await page.getByLabel("User name or email").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await press("Log in");
  }

  async function logOut(): Promise<void> {
    await see(page, "Log out");
    await press("Log out");
  }

  test("express.md shows who somebody is, and ends both sessions", async () => {
    const done = await typed("express.md");
    await open(done, /http:/, "/profile");
    await logIn();
    await page.waitForURL(`${done.here}/profile`);
    await shows(/"name":"Ada Lovelace".*"email":"ada@example.com"/);
    await page.goto(done.here);
    await shows("Hello Ada Lovelace.");
    await page.goto(`${done.here}/logout`);
    await logOut();
    await page.waitForURL(`${done.here}/`);
    await shows("Log in at /login");
    await page.goto(`${done.here}/login`);
    await see(page, "Log in");
  });

  test("next.md greets by name, and ends its own session", async () => {
    await open(await typed("next.md"), /Ready/);
    await press("Log in");
    await logIn();
    await shows("Hello Ada Lovelace.");
    await press("Log out");
    await press("Log in");
    await shows("Hello Ada Lovelace.");
  });

  test("browser.md greets by name, and ends both sessions", async () => {
    await open(await typed("browser.md"), /Local:/);
    await press("Log in");
    await logIn();
    await shows("Hello Ada Lovelace.");
    await press("Log out");
    await logOut();
    await page.getByText("Hello.", { exact: true }).waitFor();
  });

  test("native.md says hello in the terminal", async () => {
    const done = await typed("native.md");
    await openPrinted(done);
    await logIn();
    await shows("You can close this page.");
    expect(await done.ended).toBe(0);
    expect(done.stdout()).toContain("Hello Ada Lovelace.");
  });

  async function openPrinted(done: Done): Promise<void> {
    await done.says(/Open http\S+\n/);
    page = await (await newProfile(browser)).newPage();
    await page.goto(/Open (http\S+)/.exec(done.stdout())?.[1] ?? "");
  }

  test("api.md accepts a token both ways, and nothing without one", async () => {
    const done = await typed("api.md");
    await done.says(/(\{"caller":"[\w-]{36}"\})\n\1\n/);
    for (const path of ["/checked", "/asked"]) {
      expect((await fetch(done.here + path)).status).toBe(401);
    }
  });

  test("machine.md lists the projects both ways", async () => {
    const done = await typed("machine.md");
    expect([await done.ended, done.stderr()]).toEqual([0, ""]);
    expect(done.stdout()).toMatch(/bySecret (200 .+"result":\[.+)\nbyKey \1\n/);
  });

  describe("what goes wrong first", () => {
    test.each([
      ["express.md", ',\n  "idTokenUserinfoAssertion": true', /http:/, "/profile", /^\{"sid":/],
      ["next.md", ', "idTokenUserinfoAssertion": true', /Ready/, "/", /^Hello \. /],
      ["browser.md", "  loadUserInfo: true,\n", /Local:/, "/", /^Hello undefined\./],
    ] as const)("%s greets nobody without names", async (name, names, says, path, shown) => {
      await open(await typed(name, [names, ""]), says, path);
      if (path === "/") await press("Log in");
      await logIn();
      await page.waitForURL((url) => url.pathname === path);
      await shows(/sid|Hello/);
      const text = await page.innerText("body");
      expect(text).toMatch(shown);
      expect(text).not.toContain("Ada");
    });

    test("express.md asks for an id token alone without a response type", async () => {
      await open(await typed("express.md", ['response_type: "code", ', ""]), /http:/, "/profile");
      await shows("authorization response from the server is an error");
    });

    test.each([
      ["next.md", 'callback/iam"', 'callback/other"', /Ready/],
      [
        "browser.md",
        '"redirectUris": ["http://localhost:3000/"',
        '"redirectUris": ["http://localhost:3000"',
        /Local:/,
      ],
    ] as const)("%s leads nowhere with another redirect URI", async (name, part, other, says) => {
      await open(await typed(name, [part, other]), says);
      await press("Log in");
      await shows("invalid_redirect_uri");
    });

    test("native.md leads nowhere with another redirect URI", async () => {
      const other = ["//127.0.0.1/callback", "//localhost/callback"] as const;
      await openPrinted(await typed("native.md", other));
      await shows("invalid_redirect_uri");
    });

    const forIam = "urn:iam:org:project:id:iam:aud";
    const forApi = " --data scope=urn:iam:org:project:id:$PROJECT:aud";
    const asJwt = ', "accessTokenType": "ACCESS_TOKEN_TYPE_JWT"';
    test.each([
      ["native.md", "insecure requests", ", { execute });", ");", /only requests to HTTPS/],
      ["machine.md", "a scope", forIam, "", /bySecret 401 .*\nbyKey 401 /],
      ["machine.md", "a role", '"ORG_OWNER_VIEWER"', "", /bySecret 403 .*\nbyKey 403 /],
      ["api.md", "a scope", forApi, "", /Unauthorized\n\{"caller":/],
      ["api.md", "JWTs", asJwt, "", /Unauthorized\n\{"caller":/],
    ] as const)("%s is refused without %s", async (name, _what, part, other, says) => {
      await (await typed(name, [part, other])).says(says);
    });

    test("api.md accepts a token for another API where it expects no audience", async () => {
      const done = await typed("api.md", [forApi, ""], ["audience: PROJECT, ", ""]);
      await done.says(/(\{"caller":"[\w-]{36}"\})\n\1\n/);
    });
  });
});
