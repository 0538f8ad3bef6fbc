import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { wrong } from "../cases/phones.ts";
import { startServer } from "../harness/server.ts";
import { formOf, happen, type Site, startSite } from "./site.ts";

let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const password = "PLANTED correct horse";

async function linesOf(body: () => Promise<unknown>) {
  const before = site.server.logged().length;
  await body();
  const lines = site.server.logged().slice(before);
  return lines.map((line) => JSON.parse(line) as { readonly [member: string]: unknown });
}

const line = (method: string, code: string) => ({
  ...{ msg: "call", method: `iam.account.v1.AccountService/${method}`, code },
});

test("a form leaves a line for each call, under the id that its page has", async () => {
  const { link } = await site.givenPerson();
  const page = await site.open(link);
  let requestId: unknown;
  const lines = await linesOf(async () => {
    const answer = await site.send(page, { password: "short" });
    requestId = answer.headers.get("x-request-id");
  });
  expect(lines).toMatchObject([
    { ...line("CheckInitialization", "OK"), requestId },
    { ...line("Initialize", "INVALID_FIELDS"), requestId },
  ]);
});

test("what reaches no method leaves a line with its path alone", async () => {
  const lines = await linesOf(async () => {
    await site.open("/ui/nothing?code=PLANTED");
    await site.open("/ui/initialize?code=PLANTED");
    await site.open("/ui/done?after=PLANTED");
  });
  expect(lines).toMatchObject([
    { msg: "refused", verb: "GET", path: "/ui/nothing", code: "UNKNOWN_PATH" },
    { msg: "refused", verb: "GET", path: "/ui/initialize", code: "INVALID_FIELDS" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("PLANTED");
});

test("no line has a code, a password or a query, whatever is sent", async () => {
  const person = await site.givenPerson({
    ...{ phone: { phone: "+41446681800" }, requestPasswordlessRegistration: true },
  });
  const { userId, code, phoneCode, link, passkeyLink } = person;
  const passkeyCode = new URL(passkeyLink, site.server.url).searchParams.get("code") ?? "";
  const wrongs = [wrong(code), wrong(phoneCode)];
  const lines = await linesOf(async () => {
    await site.open(passkeyLink);
    await site.open(`${passkeyLink}x`);
    const page = await site.open(link);
    await site.open(link.replace(code, wrong(code)));
    await site.send(await site.open(`/ui/initialize?userID=${userId}`), { code: wrong(code) });
    await site.send(page, { password: password.slice(0, 7) });
    await site.send(page, { password: password.repeat(300) });
    await site.send(page, { password, step: "other" });
    const phone = await site.open(`/ui/phone/verify?userID=${userId}`);
    await site.send(phone, { code: wrong(phoneCode) });
    await site.send(phone, { code: phoneCode });
    await fetch(`${site.server.url}/ui/initialize?code=${code}`, {
      method: "PUT",
      body: new URLSearchParams({ ...formOf(page).hidden, password }),
    });
    await site.send(page, { password });
    await site.open(link);
  });
  const text = JSON.stringify(lines);
  expect(lines.length).toBeGreaterThan(12);
  for (const secret of [code, phoneCode, passkeyCode, ...wrongs, "PLANTED", "?"]) {
    expect(text).not.toContain(secret);
  }
});

test("an outage is told as one, and as nothing else", async () => {
  const server = await startServer();
  try {
    // The log of events is gone under the server.
    await server.store.close();
    const response = await fetch(
      `${server.url}/ui/initialize?userID=nobody&code=${"0".repeat(32)}`,
    );
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("<h1>Try again in a moment</h1>");
  } finally {
    await server.close();
  }
});

test("a defect leaves the request ID that its page shows, which shows nothing else", async () => {
  const { userId, link } = await site.givenPerson();
  const expirationMs = site.clock.nowMs + 1;
  // A code that no key has sealed.
  const code = { code: "PLANTED", expirationMs };
  await happen(site, userId, { type: "user.human.initialization.code.added", payload: code });
  const page = await site.open(link);
  expect(page).toMatchObject({ status: 500, heading: "Something went wrong" });
  const requestId = page.headers.get("x-request-id");
  expect(page.text).toContain(`Request ID <code dir="ltr">${requestId}</code>`);
  expect(page.text).not.toMatch(/\bat .*\.ts|keyring|PLANTED/i);
  const lines = site.server.logged().filter((one) => one.includes(String(requestId)));
  expect(lines.map((one) => (JSON.parse(one) as { level: number }).level)).toEqual([50, 30]);
});
