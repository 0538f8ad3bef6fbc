import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { unansweredStatus } from "../../src/provider/base/record.ts";
import { connected } from "../gateway/flight.ts";
import { basic, post, statusOfUserinfo } from "./asking.ts";
import { formsTo, leaveAll } from "./half-sent.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
});
afterAll(() => parties.close());

/** The newest line of the log about a path, without what differs each time. */
async function lineOf(path: string): Promise<object> {
  for (;;) {
    const lines = parties.server.logged().map((line) => JSON.parse(line));
    const line = lines.findLast((one) => one.msg === "openid" && one.path === path);
    if (line !== undefined) {
      const { level, msg, time: _time, pid: _pid, hostname: _host, durationMs, ...rest } = line;
      expect([level, msg, typeof durationMs]).toEqual([30, "openid", "number"]);
      // What they say of where the request came from: see `client.test.ts` of the gateway.
      const { requestId: _id, address: _from, userAgent: _by, ...about } = rest;
      return about;
    }
    await new Promise(setImmediate);
  }
}

test("each request is in the log, with why it was refused, and nothing that was sent", async () => {
  const { clientId, clientSecret } = app;
  const wrong = "wrong-secret-or-code-of-a-test";
  const fields = { grant_type: "authorization_code", code: wrong, redirect_uri: "https://x.test/" };
  await post(parties, "/oauth/v2/token", fields, basic(clientId, clientSecret));
  expect(await lineOf("/oauth/v2/token")).toEqual({
    ...{ verb: "POST", path: "/oauth/v2/token", status: 400, clientId },
    ...{ error: "invalid_grant", problem: "authorization code not found" },
  });

  await post(parties, "/oauth/v2/introspect", { token: wrong }, basic(clientId, wrong));
  expect(await lineOf("/oauth/v2/introspect")).toEqual({
    ...{ verb: "POST", path: "/oauth/v2/introspect", status: 401, error: "invalid_client" },
    ...{ problem: "the secret is wrong", clientId },
  });

  await statusOfUserinfo(parties, wrong);
  expect(await lineOf("/oidc/v1/userinfo")).toEqual({
    ...{ verb: "GET", path: "/oidc/v1/userinfo", status: 401, error: "invalid_token" },
  });

  const { url } = await begin(app, { redirect_uri: `https://${wrong}.example.com/` });
  await parties.browser().open(url.href);
  expect(await lineOf("/oauth/v2/authorize")).toEqual({
    ...{ verb: "GET", path: "/oauth/v2/authorize", status: 400, clientId },
    error: "invalid_redirect_uri",
    problem: "redirect_uri did not match any of the client's registered redirect_uris",
  });
  expect(parties.server.logged().join("\n")).not.toContain(wrong);
});

test("each form of a login is in the log with what came of it, and not who tried", async () => {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const [uid = ""] = /[\w-]{20,}$/.exec(new URL(browser.page.url).pathname) ?? ["no id"];
  await browser.send({ userName: person.userName, password: "wrong" });
  const line = { verb: "POST", path: "/ui/login/:uid" };
  expect(await lineOf("/ui/login/:uid")).toEqual({ ...line, status: 400 });
  await browser.send({ userName: person.userName, password: person.password });
  expect(await lineOf("/ui/login/:uid")).toEqual({ ...line, status: 303 });
  expect(uid).toMatch(/^[\w-]{20,}$/);
  const logged = parties.server.logged().join("\n");
  for (const text of [person.userName, person.password, uid]) expect(logged).not.toContain(text);
});

test("why an application did not prove itself to introspection is in the log alone", async () => {
  const { clientId, clientSecret } = app;
  const path = "/oauth/v2/introspect";
  const [type, token] = ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "any"];
  const assertion = `e30.${Buffer.from(JSON.stringify({ sub: clientId })).toString("base64url")}.`;
  const shown = { client_assertion_type: type, client_assertion: assertion };
  const tries = [
    [{ token }, {}, "neither a secret nor an assertion was sent"],
    [{ token }, basic("wrong", clientSecret), "no application has this client id"],
    [{ token, ...shown, client_assertion_type: "jwt" }, {}, "the client_assertion_type is wrong"],
    [{ token, ...shown }, {}, "its auth method is BASIC"],
    [{ token, ...shown, client_id: "x" }, {}, "the assertion belongs to another client"],
  ] as const;
  for (const [fields, headers, problem] of tries) {
    const count = parties.server.logged().length;
    const { body } = await post(parties, path, fields, headers);
    expect(body.error_description).toBe("client authentication failed");
    while (parties.server.logged().length === count) await new Promise(setImmediate);
    expect(await lineOf(path)).toMatchObject({ error: "invalid_client", problem });
  }
});

describe("a request whose caller goes before it is answered", () => {
  test.each(
    ["HTTP/1.1", "HTTP/2"].flatMap((version) =>
      ["/oauth/v2/revoke", "/oauth/v2/introspect"].map((path) => [version, path] as const),
    ),
  )("is in the log as that: over %s, %s", async (version, path) => {
    const lines = () =>
      parties.server
        .logged()
        .map((line) => JSON.parse(line))
        .filter((line) => line.msg === "openid" && line.path === path);
    const before = lines().length;
    // One that goes before the service sees it leaves no line.
    while (lines().length === before) {
      await formsTo(parties.server.port)[version]!(path, 9);
      await fetch(`${parties.server.url}/healthz`);
      await leaveAll();
      await fetch(`${parties.server.url}/healthz`);
    }
    const statuses = lines().map(({ status }) => status);
    expect(new Set(statuses.slice(before))).toEqual(new Set([unansweredStatus]));
  });

  test("is not taken for one that was answered", async () => {
    await statusOfUserinfo(parties, "wrong");
    expect(await lineOf("/oidc/v1/userinfo")).toMatchObject({ status: 401 });
  });
});

test("a caller that goes is no failure", async () => {
  const said = jest.spyOn(console, "error").mockImplementation(() => {});
  const type = "content-type: application/x-www-form-urlencoded";
  const head = `POST /oauth/v2/token HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: 9\r\n\r\n`;
  for (let nth = 0; nth < 20; nth += 1) {
    const socket = await connected(parties.server.port);
    socket.on("error", () => {}).write(`${head}half`);
    await pause(5);
    socket.resetAndDestroy();
  }
  // What came before these has been seen when they are answered.
  for (const _ of [1, 2]) await fetch(`${parties.server.url}/healthz`);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
  expect(parties.server.logged().filter((line) => JSON.parse(line).level > 30)).toEqual([]);
});
