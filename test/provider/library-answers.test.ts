import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { formOf, heading, type Page } from "./browser.ts";
import { type App, begin, callback, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const open = async (path: string, headers: { readonly [name: string]: string } = {}) =>
  await fetch(new URL(path, parties.server.url), { headers, redirect: "manual" });

/** The whole policy of a page, whose only script is the one that stands in it. */
function policyFor({ text }: Pick<Page, "text">): string {
  const [[, script = ""] = [], ...others] = [...text.matchAll(/<script>(.*?)<\/script>/gs)];
  expect([others, text.match(/<script/g)]).toEqual([[], ["<script"]]);
  const hash = createHash("sha256").update(script).digest("base64");
  return (
    `default-src 'none'; script-src 'sha256-${hash}'; style-src 'self'; img-src 'self'; ` +
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
  );
}

async function seen(path: string, headers: { readonly [name: string]: string } = {}) {
  const answer = await open(path, headers);
  const page = { text: await answer.text() };
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    ...{ "content-security-policy": policyFor(page), "cache-control": "no-store" },
    ...{ "x-frame-options": "DENY", "x-content-type-options": "nosniff" },
    ...{ "cross-origin-resource-policy": "same-origin", vary: "accept-language" },
    "referrer-policy": expect.stringMatching(/^(?:no-referrer|same-origin)$/),
    "content-type": "text/html; charset=utf-8",
  });
  return { ...page, status: answer.status, language: answer.headers.get("content-language") };
}

describe("pages that a library makes", () => {
  const sent = { response_mode: "form_post", prompt: "none" };

  test("every answer is kept by nobody, and is what it says", async () => {
    const { url } = await begin(app);
    const body = new URLSearchParams({ client_id: app.clientId, token: "none" });
    const post = { method: "POST", body };
    for (const [path, status, init] of [
      ["/.well-known/openid-configuration", 200, {}],
      ["/oauth/v2/keys", 200, {}],
      [url.href, 303, {}],
      [`${url.href}&scope=openid`, 303, {}],
      ["/oauth/v2/authorize", 400, {}],
      ["/oauth/v2/authorize/none", 400, {}],
      ["/oauth/v2/token", 400, post],
      ["/oauth/v2/revoke", 200, post],
      ["/oauth/v2/device_authorization", 400, post],
      ["/device/none", 400, {}],
      ["/oidc/v1/end_session", 200, {}],
      ["/oidc/v1/end_session/success", 200, {}],
      ["/oidc/v1/end_session/confirm", 400, post],
    ] as const) {
      const to = new URL(path, parties.server.url);
      const answer = await fetch(to, { redirect: "manual", ...init });
      await answer.text();
      const shown = ["cache-control", "x-content-type-options"].map((n) => answer.headers.get(n));
      expect([path, answer.status, ...shown]).toEqual([path, status, "no-store", "nosniff"]);
    }
  });

  test("a form for the application runs one script, and has a button without it", async () => {
    const begun = await begin(app, sent);
    const page = await seen(begun.url.href);
    expect([page.status, heading(page)]).toEqual([400, "One moment, please"]);
    const { action, fields } = formOf(page);
    expect([action, fields]).toEqual([
      callback,
      expect.objectContaining({ error: "login_required", state: begun.state }),
    ]);
    expect(page.text).toContain('<button type="submit">Continue</button>');
  });

  test("with a code in it, too", async () => {
    const [person, browser] = [await parties.givenPerson(), parties.browser()];
    const begun = await begin(app, { response_mode: "form_post" });
    await browser.open(begun.url.href);
    const page = await browser.send({ userName: person.userName, password: person.password });
    expect([page.status, formOf(page).fields]).toEqual([
      200,
      { code: expect.any(String), state: begun.state, iss: parties.server.url },
    ]);
    expect(page.headers.get("content-security-policy")).toBe(policyFor(page));
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  test("what the application had sent along stays text", async () => {
    const state = `"></form><script>alert(1)</script>`;
    const page = await seen((await begin(app, { ...sent, state })).url.href);
    expect(page.text).not.toContain("<script>alert");
    const { url } = await begin(app, sent);
    url.searchParams.set("state", "\u202e&quot;");
    expect(formOf(await seen(url.href)).fields.state).toBe("\u202e&quot;");
  });

  test.each([
    ["en", "One moment, please"],
    ["de", "Einen Moment, bitte"],
    ["fr", "Un instant, s’il vous plaît"],
    ["es", "Un momento, por favor"],
    ["it", "Un momento, per favore"],
    ["ja", "少々お待ちください"],
    ["ar", "لحظة من فضلك"],
  ])("in %s, as the browser or the application asks", async (language, title) => {
    const asked = await begin(app, { ...sent, ui_locales: language });
    for (const page of [
      await seen((await begin(app, sent)).url.href, { "accept-language": language }),
      await seen(asked.url.href),
      await seen("/oidc/v1/end_session", { "accept-language": language }),
      await seen(`/oidc/v1/end_session?ui_locales=${language}`),
    ]) {
      expect([page.language, heading(page)]).toEqual([language, title]);
    }
  });

  test("a logout where nobody is logged in leads on by itself", async () => {
    const page = await seen("/oidc/v1/end_session");
    const { action, fields } = formOf(page);
    expect([page.status, action, fields]).toEqual([
      ...[200, "../../ui/../oidc/v1/end_session/confirm"],
      { xsrf: expect.any(String), logout: "yes" },
    ]);
    const to = "https://app.example.com/bye";
    const asked = { client_id: app.clientId, post_logout_redirect_uri: to, state: "s" };
    const browser = parties.browser();
    const last = await browser.open(`/oidc/v1/end_session?${new URLSearchParams(asked)}`);
    expect(last.url).toBe(`${to}?state=s`);
    expect(heading(await parties.browser().open("/oidc/v1/end_session"))).toBe("You’re logged out");
  });
});

test("programs are told in JSON what is refused (RFC 6749, 5.2)", async () => {
  // As HttpURLConnection of Java says by itself.
  const accept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";
  for (const [name, error] of [
    ["token", "invalid_request"],
    ["revoke", "invalid_request"],
    ["device_authorization", "unauthorized_client"],
  ] as const) {
    const body = new URLSearchParams({ client_id: app.clientId });
    const init = { method: "POST", headers: { accept }, body };
    const answer = await fetch(`${parties.server.url}/oauth/v2/${name}`, init);
    const type = String(answer.headers.get("content-type"));
    expect([name, answer.status, type.split(";")[0]]).toEqual([name, 400, "application/json"]);
    expect(await answer.json()).toMatchObject({ error });
  }
});
