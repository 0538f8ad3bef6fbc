import { request } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { describeInChromium, launchChromium } from "../browser/chromium.ts";
import { findChromium } from "../browser/find.ts";
import { patience } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { freePort } from "../harness/port.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import {
  caller,
  createFiles,
  endExamples,
  type Files,
  runExample,
  startExample,
} from "./example.ts";

/** How long one step in the browser may take. */
const stepTimeoutMs = 15_000 * patience;

/** Starts the page for a service that is at this URL; resolves to the page's own. */
async function serve(iamUrl: string, port = 0): Promise<string> {
  const env = { IAM_URL: iamUrl, PORT: String(port) };
  const example = startExample(["node", "examples/web/serve.ts"], { env });
  await example.says(/http:.+\n/);
  return /http:\S+/.exec(example.stdout())?.[0] ?? "";
}

if (findChromium() === undefined) {
  process.stderr.write("examples/web was not tested in a browser: apt-get install chromium\n");
}

afterAll(endExamples);

describe("serve.ts", () => {
  let page: string;

  beforeAll(async () => {
    page = await serve("https://iam.example.com:8443/");
  });

  /** Sends the path as it is, without resolving it. */
  function get(path: string): Promise<readonly [number | undefined, string]> {
    const { promise, resolve, reject } =
      Promise.withResolvers<readonly [number | undefined, string]>();
    request(page, { path }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve([response.statusCode, text]);
    })
      .on("error", reject)
      .end();
    return promise;
  }

  test("sends a page that talks to the service and to nobody else", async () => {
    const response = await fetch(page);
    expect(response.status).toBe(200);
    const policy = (response.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/),
      "style-src 'self'",
      "img-src data:",
      "connect-src https://iam.example.com:8443",
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ]);
    const html = await response.text();
    expect(html).toContain('<meta name="iam-url" content="https://iam.example.com:8443">');
  });

  test.each(["/users.js", "/users.css", "/gen/iam/v1/search_pb.js"])("sends %s", async (path) => {
    expect(await get(path)).toEqual([200, expect.any(String)]);
  });

  test.each([
    ...["/package.json", "/README.md", "/src/main.ts", "/examples/web/serve.ts", "/serve.ts"],
    ...["/gen/../package.json", "/gen/%2e%2e/jest.config.js", "/gen/..%2fjest.config.js"],
    ...["/gen/../jest.config.js", "/gen\\..\\jest.config.js", "/gen/iam/none_pb.js", "//:0"],
    ...[
      "/node_modules/@connectrpc/connect/../../jest/bin/jest.js",
      "/node_modules/jest/bin/jest.js",
    ],
  ])("does not send %s", async (path) => {
    expect(await get(path)).toEqual([404, "There is nothing here.\n"]);
  });
});

describeInChromium("the page of examples/web", () => {
  let server: TestServer;
  let files: Files;
  let origin: string;
  let elsewhere: string;
  let browser: Browser;
  let page: Page;
  let said: string[];

  beforeAll(async () => {
    // Each of the two has to know where the other will be, so a port is found first.
    const port = await freePort();
    files = await createFiles();
    server = await startServer({ corsOrigins: [`http://127.0.0.1:${port}`] });
    [origin, elsewhere, browser] = await Promise.all([
      serve(server.url, port),
      serve(server.url),
      launchChromium(),
      importPeople(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), files?.remove()]);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(stepTimeoutMs);
    said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
  });
  afterEach(() => page.close());

  async function importPeople(): Promise<void> {
    const people = Array.from(
      { length: 45 },
      (_none, serial) => `person-${serial},Person,${serial},person-${serial}@example.com`,
    );
    const hostile = "zoe,<img src=x onerror=alert(1)>,<b>Zoe</b>,zoe@example.org";
    const csv = ["userName,firstName,lastName,email", ...people, hostile].join("\n");
    const file = await files.write("people.csv", csv);
    const command = ["node", "examples/import-users.ts", file] as const;
    expect(await runExample(command, caller(server))).toMatchObject({ code: 0 });
  }

  async function list(token: string, text = ""): Promise<void> {
    await page.getByLabel("Token").fill(token);
    await page.getByLabel("contains").fill(text);
    await page.getByRole("button", { name: "List" }).click();
  }

  /** Waits for what the table then says of itself, and reads its rows. */
  async function rows(caption: string): Promise<readonly (readonly string[])[]> {
    await page.getByRole("status").getByText(caption, { exact: true }).waitFor();
    const texts = await page.locator("#users tr").all();
    return Promise.all(texts.map((row) => row.locator("td").allInnerTexts()));
  }

  test("lists users page by page, and searches", async () => {
    await page.goto(origin);
    await list(server.admin.token);
    const previous = page.getByRole("button", { name: "Previous" });
    const next = page.getByRole("button", { name: "Next" });
    const first = await rows("1 to 20 of 47");
    expect(first).toHaveLength(20);
    expect(first.slice(0, 2)).toEqual([
      ["admin", "Administrator", "", "active"],
      ["person-0", "Person 0", "person-0@example.com", expect.any(String)],
    ]);
    expect([await previous.isEnabled(), await next.isEnabled()]).toEqual([false, true]);
    await next.click();
    expect(await rows("21 to 40 of 47")).toHaveLength(20);
    await next.click();
    const last = await rows("41 to 47 of 47");
    expect([await previous.isEnabled(), await next.isEnabled()]).toEqual([true, false]);
    expect(last.at(-1)?.slice(0, 2)).toEqual(["zoe", "<img src=x onerror=alert(1)> <b>Zoe</b>"]);
    await previous.click();
    expect(await rows("21 to 40 of 47")).not.toEqual(last);

    await list(server.admin.token, "EXAMPLE.ORG");
    expect((await rows("1 to 1 of 1")).map(([name]) => name)).toEqual(["zoe"]);
    await list(server.admin.token, "erson 4");
    expect(await rows("1 to 6 of 6")).toHaveLength(6);
    await list(server.admin.token, "nobody like this");
    expect(await rows("None of 0")).toEqual([]);
    expect(said).toEqual([]);
  });

  inFull("shows why it is refused", async () => {
    const { token } = await givenUser(server, server.admin.organization);
    await page.goto(origin);
    const alert = page.getByRole("alert");
    await list("nobody");
    await alert.getByText(/^UNAUTHENTICATED: The call has no valid token/).waitFor();
    await list(token);
    await alert.getByText(/^PERMISSION_DENIED: /).waitFor();
    expect(await rows("None of 0")).toEqual([]);
    await list(server.admin.token);
    expect(await rows("1 to 20 of 48")).toHaveLength(20);
    expect(await alert.innerText()).toBe("");
    expect(said).toEqual([]);
  });

  inFull("says what to look at where the service does not let it in", async () => {
    await page.goto(elsewhere);
    await list(server.admin.token);
    const hint = `Failed to fetch: is the service running at ${server.url}, with`;
    await page.getByRole("alert").getByText(`${hint} IAM_CORS_ORIGINS=${elsewhere}?`).waitFor();
    expect(said).toContainEqual(expect.stringContaining("has been blocked by CORS policy"));
  });
});
