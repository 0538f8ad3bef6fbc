import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { basic, post, statusOfUserinfo } from "./asking.ts";
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
      return rest;
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
  });
  expect(parties.server.logged().join("\n")).not.toContain(wrong);
});
