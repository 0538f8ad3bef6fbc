import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { refusedLimits } from "../../src/pages/html/refused.ts";
import { texts } from "../../src/pages/translations.ts";
import { acceptLimits } from "../../src/text/accept.ts";
import { languages } from "../../src/text/language.ts";
import { heading, type Page } from "./browser.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

/** What stands on a page as it was sent, or under which name it is known. */
function detailsOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/<code dir="ltr">([^<]*)<\/code>/g)].map(([, shown = ""]) => shown);
}

/** The lines of the log about what applications have asked for, once there are so many. */
async function linesOf(count: number): Promise<readonly { readonly [name: string]: unknown }[]> {
  for (;;) {
    const lines = parties.server.logged().map((line) => JSON.parse(line));
    const found = lines.filter(({ msg, error }) => msg === "openid" && error !== undefined);
    if (found.length >= count) return found;
    await new Promise(setImmediate);
  }
}

const openWith = async (asked: { readonly [name: string]: string }, headers = {}) =>
  await parties.browser(headers).open((await begin(app, asked)).url.href);

describe("the page for a redirect URI that the application does not have", () => {
  const uri = "https://app.example.com/other?a=b&c=d";

  test.each(languages)("in %s says which, whose, and what to do", async (language) => {
    const page = await openWith({ redirect_uri: uri }, { "accept-language": language });
    const { login, home } = texts[language];
    expect([page.status, heading(page)]).toEqual([400, login.refused.title]);
    const requestId = page.headers.get("x-request-id");
    expect(detailsOf(page)).toEqual([
      ...["invalid_redirect_uri", uri.replace("&", "&amp;"), app.clientId, requestId],
    ]);
    expect(page.text).toContain(
      `<p>${login.refusedDetails.register("redirectUris", "AddRedirectURI")}</p>`,
    );
    expect(page.text).toContain(`<a href="../../ui/../">${home.link}</a>`);
    const lines = await linesOf(1);
    expect(lines.at(-1)).toMatchObject({
      ...{ requestId, error: "invalid_redirect_uri", clientId: app.clientId },
      problem: "redirect_uri did not match any of the client's registered redirect_uris",
    });
  });

  test("shows it as text, in characters that look like nothing else", async () => {
    for (const [sent, shown] of [
      ["https://x/<script>alert(1)</script>", "https://x/&lt;script&gt;alert(1)&lt;/script&gt;"],
      [`https://x/"onload='x'`, "https://x/&quot;onload=&#39;x&#39;"],
      ["https://x/\u202egnp.x", "https://x/\\u{202e}gnp.x"],
      ["https://\u0430pp.example.com/ ", "https://\\u{430}pp.example.com/\\u{20}"],
      ["https://app.example.com/call\u200bback", "https://app.example.com/call\\u{200b}back"],
      ["https://x/\u{1f600}\u0000", "https://x/\\u{1f600}\\u{0}"],
    ] as const) {
      const page = await openWith({ redirect_uri: sent });
      expect(detailsOf(page)[1]).toBe(shown);
    }
  });

  test("shows as much of it as a limit says, and cuts off one more", async () => {
    const { shownCharacters } = refusedLimits;
    const long = `https://x/${"a".repeat(shownCharacters - 10)}`;
    expect(detailsOf(await openWith({ redirect_uri: long }))[1]).toBe(long);
    expect(detailsOf(await openWith({ redirect_uri: `${long}b` }))[1]).toBe(`${long}…`);
  });

  test("is that of a logout, too", async () => {
    const to = "https://app.example.com/elsewhere";
    const asked = { client_id: app.clientId, post_logout_redirect_uri: to };
    const path = `/oidc/v1/end_session?${new URLSearchParams(asked)}`;
    const page = await parties.browser({ accept: "text/html" }).open(path);
    expect(detailsOf(page).slice(0, 3)).toEqual(["invalid_request", to, app.clientId]);
    const { refusedDetails } = texts.en.login;
    expect(page.text).toContain(
      refusedDetails.register("postLogoutRedirectUris", "UpdateOIDCAppConfig (updateMask)"),
    );
  });
});

test.each([
  [0, "text/html"],
  [1, "application/json"],
])("headers that take long to read: %i past the limit, the answer is %s", async (past, type) => {
  const filled = "a/".padEnd(acceptLimits.characters + past - ",text/html".length, "b");
  const browser = parties.browser({ accept: `${filled},text/html` });
  const { headers } = await browser.open("/oidc/v1/end_session?client_id=none");
  expect(headers.get("content-type")).toContain(type);
});

describe("where it is not safe to lead back, the page says what was wrong", () => {
  test.each([
    ["an unknown client", { client_id: "none<b>" }, "client is invalid", "none&lt;b&gt;"],
    [
      "no response type, to nowhere",
      { response_type: "", redirect_uri: "" },
      "missing required parameter &#39;redirect_uri&#39;",
    ],
  ])("for %s", async (_what, asked, description, clientId = app.clientId) => {
    const { url } = await begin(app, asked);
    for (const [name, value] of Object.entries(asked)) {
      if (value === "") url.searchParams.delete(name);
    }
    url.searchParams.set("response_type", "code");
    const page = await parties.browser().open(url.href);
    expect(page.status).toBe(400);
    expect(page.text).toContain(description);
    expect(detailsOf(page).slice(1)).toEqual([clientId, page.headers.get("x-request-id")]);
    expect(page.text).not.toContain("AddRedirectURI");
  });
});

test("why a request was refused is in the log also where the application is told", async () => {
  const before = (await linesOf(0)).length;
  for (const asked of [
    { response_type: "id_token", nonce: "n" },
    { code_challenge: "short" },
    { scope: "email" },
    { claims: "{" },
  ] as const) {
    const { url } = await begin(app, asked);
    await fetch(url, { redirect: "manual" });
  }
  const lines = (await linesOf(before + 4)).slice(before);
  expect(lines.map(({ error, problem }) => [error, problem])).toEqual([
    ["unauthorized_client", "requested response_type is not allowed for this client"],
    ["invalid_request", "code_challenge must be a string with a minimum length of 43 characters"],
    ["invalid_request", expect.any(String)],
    ["invalid_request", expect.any(String)],
  ]);
});

test("an origin that was sent is not in the log", async () => {
  const before = (await linesOf(0)).length;
  await fetch(`${parties.server.url}/oauth/v2/token`, {
    ...{ method: "POST", headers: { origin: "https://planted.example" } },
    body: new URLSearchParams({ client_id: app.clientId, grant_type: "refresh_token" }),
  });
  const [line] = (await linesOf(before + 1)).slice(before);
  expect(line).toMatchObject({ error: "invalid_request", clientId: app.clientId });
  expect(parties.server.logged().join("\n")).not.toContain("planted");
});

describe("a path that is none", () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";

  test.each(["/nothing", "/management/v1/nothing/at/all", "/oauth/v2/", "/ui/nothing", "/oidc"])(
    "%s is a page for a browser, with a way on, and JSON for programs",
    async (path) => {
      const { url } = parties.server;
      const answer = await fetch(url + path, { headers: { accept, "accept-language": "de" } });
      const text = await answer.text();
      expect([answer.status, heading({ text })]).toEqual([404, texts.de.problems.missing.title]);
      const [, link = ""] = /<a href="([^"]*)">Zur Startseite<\/a>/.exec(text) ?? [];
      expect(new URL(link, url + path).href).toBe(`${url}/`);
      const [, style = ""] = /rel="stylesheet" href="([^"]*)"/.exec(text) ?? [];
      expect((await fetch(new URL(style, url + path))).status).toBe(200);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      if (path.startsWith("/ui/")) return;
      for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }]) {
        const plain = await fetch(url + path, { headers });
        expect(plain.status).toBe(404);
        expect(await plain.json()).toMatchObject({ message: "No operation has this path." });
      }
      const posted = await fetch(url + path, { method: "POST", headers: { accept } });
      expect(posted.headers.get("content-type")).toContain("application/json");
    },
  );

  test("an operation that a browser asks for by another verb stays JSON", async () => {
    const { url } = parties.server;
    const answer = await fetch(`${url}/admin/v1/orgs/_search`, { headers: { accept } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    const found = await fetch(`${url}/healthz`, { headers: { accept } });
    expect(await found.json()).toEqual({ status: "ok" });
  });
});
