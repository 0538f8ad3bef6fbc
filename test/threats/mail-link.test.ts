import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { createEmail } from "../../src/notify/channel/email.ts";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { shortened } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { sender } from "../notify/place.ts";
import { type Mail, type MailServer, startMailServer } from "../notify/smtp.ts";
import { createWatch } from "../notify/watch.ts";
import { ofOwnPage } from "../provider/browser.ts";
import { evil, fromHeaders, lies } from "./lies.ts";
import { serveWith } from "./place.ts";

// Who asks for a mail to be sent chooses nothing of where its links lead: mails are read as the
// mail server of the person gets them.

const watch = createWatch();
let server: TestServer;
let sending: Awaited<ReturnType<typeof serveWith>>;
let mailServer: MailServer;
let http: Http;

beforeAll(async () => {
  server = await startServer();
  sending = await serveWith(server);
  mailServer = await startMailServer(watch);
  const email = createEmail({ server: mailServer.server, from: sender });
  sending.deliver({ email, sms: email });
  http = createHttp(sending.port);
});

afterAll(async () => {
  http.close();
  await sending.close();
  await mailServer.down();
  await server.close();
});

/** The mail to the address, when it is there; of several the last one. */
async function mailTo(address: string, nth: number): Promise<Mail> {
  const sent = () => mailServer.mails.filter(({ to }) => to.includes(address));
  await watch.until(() => sent().length >= nth);
  return sent()[nth - 1]!;
}

function expectOurLinks({ raw, text, html = "" }: Mail): void {
  const written = [...`${text}\n${html}`.matchAll(/[a-z]+:\/\/[^\s"<>]*/gi)].map(([url]) => url);
  const links = written.filter((url) => !url.startsWith("http://www.w3.org/"));
  expect(links.length).toBeGreaterThan(1);
  for (const link of links) expect(link).toMatch(/^https:\/\/iam\.example\.com\/ui\//);
  expect(raw).not.toContain(evil);
}

describe(`${fromHeaders}: links in mails are made of headers`, () => {
  const all = lies.map(([name, value]) => ({
    title: `${name}: ${value}`,
    lied: { [name]: value },
  }));
  const atOnce = { title: "all of them at once", lied: Object.fromEntries(lies) };
  test.each(shortened([atOnce, ...all]))("$title", async ({ lied }) => {
    const headers = { ...bearer(server.admin.token), ...lied };
    const address = `${v7()}@example.com`;
    const profile = { firstName: "Ada", lastName: "Lovelace" };
    const person = { userName: address, profile, email: { email: address } };
    const path = "/management/v1/users/human/_import";
    const imported = await http.send({ path, headers, body: JSON.stringify(person) });
    expect(imported.status).toBe(200);
    expectOurLinks(await mailTo(address, 1));

    const { userId } = JSON.parse(imported.text) as { readonly userId: string };
    const again = `/management/v1/users/${userId}/_resend_initialization`;
    const resent = await http.send({ path: again, headers, body: "{}" });
    expect(resent.status).toBe(200);
    expectOurLinks(await mailTo(address, 2));
  });

  test("nor for a forgotten password", async () => {
    const address = `${v7()}@example.com`;
    const profile = { firstName: "Ada", lastName: "Lovelace" };
    const call = async (path: string, body: object) => {
      const headers = bearer(server.admin.token);
      const { text } = await http.send({ path, headers, body: JSON.stringify(body) });
      return JSON.parse(text) as { readonly clientId?: string };
    };
    const email = { email: address, isEmailVerified: true };
    const person = { userName: address, profile, email, password: "correct horse battery" };
    await call("/management/v1/users/human/_import", person);
    const uri = "https://app.example.com/callback";
    const app = { name: v7(), redirectUris: [uri] };
    const { clientId = "" } = await call(
      `/management/v1/projects/${server.project}/apps/oidc`,
      app,
    );
    const asked = {
      client_id: clientId,
      redirect_uri: uri,
      response_type: "code",
      scope: "openid",
    };
    const begun = await fetch(`${sending.url}/oauth/v2/authorize?${new URLSearchParams(asked)}`, {
      redirect: "manual",
    });
    const cookies = begun.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
    const { pathname } = new URL(begun.headers.get("location") ?? "", sending.url);
    // A form of another origin is refused, so of that alone nothing is made up here.
    const headers = {
      ...Object.fromEntries(lies.filter(([name]) => name !== "origin")),
      ...ofOwnPage,
      cookie: cookies.join("; "),
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = String(new URLSearchParams({ step: "ask", userName: address }));
    const answer = await http.send({ path: pathname, headers, body });
    expect([answer.status, answer.text.includes(evil)]).toEqual([200, false]);
    const mail = await mailTo(address, 1);
    expectOurLinks(mail);
    expect(mail.text).toMatch(/^https:\/\/iam\.example\.com\/ui\/password\?userID=/m);
  });
});
