import { request } from "node:http";
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { tokenFormBytesMax } from "../../src/provider/forms.ts";
import { sampled } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { type App, begin, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
});
afterAll(() => parties.close());

const evil = "evil.example.com";

/** What came back: the head and the body in one text. */
async function askAs1(path: string, headers: { readonly [name: string]: string }) {
  const { port } = parties.server;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = request({ port, host: "127.0.0.1", path, headers }, (answer) => {
    let text = JSON.stringify(answer.headers);
    answer.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    answer.on("end", () => resolve(text));
  });
  asked.on("error", reject).end();
  return await promise;
}

async function askAs2(path: string, headers: { readonly [name: string]: string }) {
  const session = connect(parties.server.url);
  const stream = session.request({ ":path": path, ...headers });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  stream.on("response", (fields) => {
    text = JSON.stringify(fields);
  });
  stream.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  stream.on("end", () => resolve(text)).on("error", reject);
  return await promise.finally(() => session.close());
}

test("GHSA-7wfc-4796-gmg5: what a request says of its host is in no address", async () => {
  const { pathname, search } = (await begin(app)).url;
  const paths = [
    ...["/.well-known/openid-configuration", pathname + search, "/oidc/v1/end_session"],
    ...["/oauth/v2/authorize?client_id=none", "/oidc/v1/end_session/success", "/ui/login/none"],
  ];
  const said = {
    "x-forwarded-host": evil,
    "x-forwarded-server": evil,
    "x-forwarded-proto": "gopher",
    "x-forwarded-prefix": `/${evil}`,
    "x-original-host": evil,
    forwarded: `host=${evil};proto=gopher;for=${evil}`,
    accept: "text/html",
  };
  for (const path of paths) {
    for (const answer of [
      await askAs1(path, { ...said, host: evil }),
      await askAs2(path, { ...said, ":authority": evil }),
      // As proxies are asked (RFC 9112, 3.2.2).
      await askAs1(`http://${evil}${path}`, said),
    ]) {
      expect([path, /evil|gopher/.exec(answer)]).toEqual([path, null]);
      expect(answer.length).toBeGreaterThan(100);
    }
  }
});

test("GHSA-v959-qxv6-6f8p, GHSA-6rx5-m2rc-hmf7: nobody is led to a script", async () => {
  const person = await parties.givenPerson();
  const script = "javascript:alert(1)";
  const path = `/management/v1/projects/${parties.server.project}/apps/oidc`;
  for (const uri of [script, "JavaScript:alert(1)", "data:text/html,x", "vbscript:x"]) {
    const made = parties.call("POST", path, { name: "Script", postLogoutRedirectUris: [uri] });
    await expect(made).rejects.toThrow("postLogoutRedirectUris");
  }
  const browser = parties.browser();
  const { id_token } = await logIn(browser, app, person);
  for (const asked of [
    { post_logout_redirect_uri: script },
    { post_logout_redirect_uri: script, client_id: app.clientId },
    { post_logout_redirect_uri: script, id_token_hint: String(id_token) },
    { state: '"><script>alert(1)</script>' },
  ]) {
    await browser.open(`/oidc/v1/end_session?${new URLSearchParams(asked)}`);
    const { text, headers } = browser.page;
    expect(text + String(headers.get("content-security-policy"))).not.toMatch(/javascript:|alert/);
  }
});

test("GHSA-xmf8-cvqr-rfgj: what is malformed is refused, and nothing fails", async () => {
  const basic = (text: string) => `Basic ${Buffer.from(text, "latin1").toString("base64")}`;
  const credentials = [
    ...["Bearer", "Bearer ", "bearer  x", "Bearer a b", "Bearer \u00ff", "Bearer =", "Bearer ."],
    ...["Bearer ..", "Bearer a.b.c", `Bearer ${"a".repeat(8_000)}`, "Token x", "x", "Basic"],
    ...["Basic ", "Basic !!!", "Basic Og==", basic("a"), basic("%zz:%zz"), basic("\u0000:\u0000")],
    ...[basic(":".repeat(99)), basic("\u00ff\u00fe:x"), basic(`${app.clientId}:`), "Digest x=y"],
  ];
  const endpoints = ["token", "introspect", "revoke", "device_authorization"].map(
    (name) => `/oauth/v2/${name}`,
  );
  const forms = [
    ...["", "&&&", "=", "%zz=%zz", "%00=%00", "grant_type", "grant_type=", "token=%ff%fe"],
    ...["grant_type=authorization_code&code=%00", "grant_type=refresh_token&refresh_token=%ff"],
    ...["grant_type=__proto__&__proto__=1&constructor=2", "grant_type[]=x&token[x]=y"],
    ...["token=a&token=b", "grant_type=client_credentials&grant_type=refresh_token"],
    ...[`token=${"a".repeat(50_000)}`, "client_assertion=x", "client_assertion=..&token=x"],
    ...["client_assertion=e30.e30.&client_assertion_type=x&token=y", '{"grant_type":"x"}'],
  ];
  const type = "application/x-www-form-urlencoded";
  const types = [type, "application/json", "multipart/form-data", "text/plain", "x", ""];
  const { url } = parties.server;
  const statusOf = async (path: string, init: RequestInit) => {
    const { status } = await fetch(url + path, { redirect: "manual", ...init });
    return [path, init, status >= 400 && status < 500];
  };
  for (const path of [...endpoints, "/oidc/v1/userinfo"]) {
    for (const authorization of sampled(credentials)) {
      const body = new URLSearchParams({ token: "x", grant_type: "refresh_token" });
      const init = { method: "POST", body, headers: { authorization } };
      expect(await statusOf(path, init)).toEqual([path, init, true]);
    }
  }
  for (const path of endpoints) {
    for (const body of sampled(forms)) {
      for (const contentType of body === "" ? types : [type]) {
        const init = { method: "POST", body, headers: { "content-type": contentType } };
        expect(await statusOf(path, init)).toEqual([path, init, true]);
      }
    }
    const query = `${path}?grant_type=client_credentials&client_id=x&client_secret=y&token=z`;
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect(await statusOf(query, { method })).toEqual([query, { method }, true]);
    }
  }
  for (const name of ["a\0b", "a\0@b", "\ud800@", "x".repeat(1_000)]) {
    const query = new URLSearchParams({ client_id: name, response_type: "code", scope: "openid" });
    const path = `/oauth/v2/authorize?${query}`;
    expect(await statusOf(path, {})).toEqual([path, {}, true]);
    const browser = parties.browser();
    await browser.open((await begin(app, { login_hint: name })).url.href);
    const { status } = await browser.send({ userName: name, password: name });
    expect([name, status]).toEqual([name, 400]);
  }
  const isDefect = (line: string) => JSON.parse(line).level >= 50;
  expect(parties.server.logged().filter(isDefect)).toEqual([]);
});

test.each(["/oauth/v2/introspect", "/oauth/v2/authorize", "/oidc/v1/userinfo"])(
  "oversize body: what is left of a form is not waited for at %s",
  async (path) => {
    const connectionAfter = async (token: string) => {
      const body = new URLSearchParams({ token });
      const init = { method: "POST", body, redirect: "manual" } as const;
      return (await fetch(parties.server.url + path, init)).headers.get("connection");
    };
    expect(await connectionAfter("x".repeat(tokenFormBytesMax + 1_000))).toBe("close");
    expect(await connectionAfter("x")).toBe("keep-alive");
  },
);

describe("what is asked for at the start is led nowhere else:", () => {
  const open = async (change: (url: URL) => void) => {
    const { url } = await begin(app);
    change(url);
    const { status, headers } = await fetch(url, { redirect: "manual" });
    const location = headers.get("location") ?? "";
    return { status, location, headers };
  };

  test("no line break of a state becomes a header, and no mark of it a tag", async () => {
    const state = 'a\r\nset-cookie: evil=1\r\n\r\n"><script>alert(1)</script>';
    const { location, headers } = await open((url) => {
      url.searchParams.set("state", state);
      url.searchParams.set("prompt", "none");
    });
    expect(new URL(location).searchParams.get("state")).toBe(state);
    expect(headers.getSetCookie().join()).not.toContain("evil");
    const asked = { state, prompt: "none", response_mode: "form_post" };
    const { text } = await parties.browser().open((await begin(app, asked)).url.href);
    expect(text).toContain("&lt;script&gt;");
    expect(text).not.toContain("<script>alert");
  });

  few(2).each([
    ["query for an id token", { response_type: "id_token", response_mode: "query" }],
    ["query for both", { response_type: "code id_token", response_mode: "query" }],
    ["a mode that is not offered", { response_mode: "web_message" }],
    ["a signed mode", { response_mode: "jwt" }],
    ["PKCE in plain", { code_challenge_method: "plain" }],
    ["PKCE without a method", { code_challenge_method: "" }],
    ["an audience", { scope: "profile" }],
    ["a prompt that contradicts itself", { prompt: "none login" }],
  ])("%s", async (_what, asked) => {
    const { status, location } = await open((url) => {
      for (const [name, value] of Object.entries(asked)) {
        if (value === "") url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
    });
    expect(location).not.toContain("/ui/login");
    expect(location === "" ? status : location).toEqual(
      location === "" ? 400 : expect.stringMatching(/^https:\/\/app\.example\.com\/.*error=/),
    );
  });

  test.each(["redirect_uri", "client_id", "response_type", "state", "code_challenge"])(
    "%s that is there twice",
    async (name) => {
      const { status, location } = await open((url) =>
        url.searchParams.append(name, `https://${evil}/callback`),
      );
      expect(location).not.toContain(evil);
      expect(location === "" ? status : new URL(location).searchParams.get("error")).toEqual(
        location === "" ? 400 : "invalid_request",
      );
    },
  );
});
