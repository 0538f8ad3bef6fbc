import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser as Chromium } from "playwright-core";
import { describeInChromium, launchChromium, newProfile, see } from "../browser/chromium.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { freePort } from "../harness/port.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { openBrowser } from "../provider/browser.ts";
import { caller, endExamples, startExample } from "./example.ts";

let server: TestServer;
let here: string;
let password: string;

beforeAll(async () => {
  server = await startServer({ publicUrl: (port) => `http://127.0.0.1:${port}` });
  const port = await freePort();
  const { env } = caller(server);
  const command = ["node", "examples/login/serve.ts"] as const;
  const example = startExample(command, { env: { ...env, PORT: String(port) } });
  await example.says(/the application is at .+\n/);
  [, password = ""] = /with the password (\S+)/.exec(example.stdout()) ?? [];
  here = `http://localhost:${port}`;
});
afterAll(async () => {
  await endExamples();
  await server.close();
});

test("a person logs in to the application and out of it, without a script", async () => {
  const [app, service] = [openBrowser(here), openBrowser(server.url)];
  await app.open("/login");
  await service.open(app.page.url);
  const { url: back } = await service.send({ userName: "example", password });
  await app.open(back);
  expect(app.page.text).toContain("Hello Ada Lovelace.");
  await app.open("/logout");
  await service.open(app.page.url);
  const { url: bye } = await service.send({});
  expect(bye).toBe(`${here}/`);
  expect((await app.open("/")).text).toContain("Log in");
});

test("a person who began to log in twice gets in by both, and in no other browser", async () => {
  const [app, service] = [openBrowser(here), openBrowser(server.url)];
  const [first, second] = [await app.open("/login"), await app.open("/login")];
  await service.open(first.url);
  const { url: back } = await service.send({ userName: "example", password });
  const stolen = await openBrowser(here).open(back);
  expect(stolen.text).toContain("This login has expired, or began in another browser.");
  await app.open(back);
  await app.open((await service.open(second.url)).url);
  expect(app.page.text).toContain("Hello Ada Lovelace.");
});

inFull("what the example cannot begin with is said", async () => {
  const command = ["node", "examples/login/serve.ts"] as const;
  const { env } = caller(server);
  const named = server.url.replace("127.0.0.1", "localhost");
  for (const [settings, said] of [
    [{ IAM_TOKEN: "" }, "usage: IAM_TOKEN=…"],
    [{ IAM_TOKEN: "wrong" }, "the projects cannot be read: The call has no valid token"],
    [{ IAM_URL: named }, "set IAM_URL to the issuer that the service prints at its start"],
  ] as const) {
    const example = startExample(command, { env: { ...env, ...settings } });
    expect(await example.ended).not.toBe(0);
    expect(example.stderr()).toContain(said);
  }
  const slashed = { ...env, IAM_URL: `${server.url}/`, PORT: String(await freePort()) };
  await startExample(command, { env: slashed }).says(/password of the first start/);
});

// In short, the browser shows the pages of test/browser alone.
const describeInFull = isFull ? describeInChromium : () => {};
describeInFull("in a browser", () => {
  let browser: Chromium;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("a person logs in to the application, once more without a word, and out", async () => {
    const page = await (await newProfile(browser)).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${here}/login`);
    await see(page, "Log in");
    await page.getByLabel("User name or email").fill("example@example.com");
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("Wrong user name or password.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("Hello Ada Lovelace.").waitFor();
    await page.goto(`${here}/login`);
    await page.getByText("Hello Ada Lovelace.").waitFor();
    await page.getByRole("link", { name: "Log out" }).click();
    await see(page, "Log out");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("link", { name: "Log in" }).waitFor();
    await page.goto(`${here}/login`);
    await see(page, "Log in");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("the person did not log in").waitFor();
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByRole("link", { name: "Log in" }).waitFor();
    // A wrong password and a login that is cancelled are answered with 400, which Chromium tells.
    expect(complaints.filter((one) => !one.includes("status of 400"))).toEqual([]);
  });
});
