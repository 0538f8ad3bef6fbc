import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { tokenFormBytesMax } from "../../src/provider/forms.ts";
import { type App, callback, logIn, type Parties, startParties } from "./relying.ts";

const other = "https://other.example.com";
const added = "https://admin.example.com";
const own = new URL(callback).origin;

describe.each([
  ["none", []],
  ["one", ["https://console.example.com"]],
])("where origins of the service are set: %s", (_which, corsOrigins) => {
  let parties: Parties;
  let app: App;
  let token = "";

  beforeAll(async () => {
    parties = await startParties({ corsOrigins });
    app = await parties.givenApp({ additionalOrigins: [added] });
    ({ access_token: token } = await logIn(parties.browser(), app, await parties.givenPerson()));
  });
  afterAll(() => parties.close());

  const device = "/oauth/v2/device_authorization";
  const paths = ["/oauth/v2/token", "/oauth/v2/revoke", device, "/oidc/v1/userinfo"];
  const allowedBy = (response: Response) => response.headers.get("access-control-allow-origin");

  test.each(paths)("a script may ask first whether it may call %s", async (path) => {
    for (const origin of [own, added]) {
      const response = await fetch(parties.server.url + path, {
        method: "OPTIONS",
        headers: {
          ...{ origin, "access-control-request-method": "POST" },
          "access-control-request-headers": "authorization,content-type",
        },
      });
      expect([response.status, allowedBy(response)]).toEqual([204, origin]);
      expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
    }
  });

  const userinfo = async (origin: string, authorization: string) =>
    await fetch(`${parties.server.url}/oidc/v1/userinfo`, { headers: { origin, authorization } });

  test("userinfo answers scripts of the application, and of no other", async () => {
    for (const origin of [own, added]) {
      const response = await userinfo(origin, `Bearer ${token}`);
      expect([response.status, allowedBy(response)]).toEqual([200, origin]);
      expect(response.headers.get("vary")).toContain("Origin");
    }
    const refused = await userinfo(other, `Bearer ${token}`);
    expect([refused.status, allowedBy(refused)]).toEqual([400, null]);
    expect(Object.keys((await refused.json()) as object)).not.toContain("sub");
  });

  test("a script may read why a token is refused", async () => {
    const response = await userinfo(own, "Bearer none");
    expect([response.status, allowedBy(response)]).toEqual([401, own]);
    const shown = response.headers.get("access-control-expose-headers");
    expect(shown).toBe("Retry-After, WWW-Authenticate");
  });

  test.each(paths)("any script may read at %s why its request is not read", async (path) => {
    const body = `token=${"x".repeat(tokenFormBytesMax)}`;
    for (const origin of [own, other]) {
      const headers = { origin, "content-type": "application/x-www-form-urlencoded" };
      const response = await fetch(parties.server.url + path, { method: "POST", headers, body });
      expect([response.status, allowedBy(response)]).toEqual([400, origin]);
      expect(response.headers.get("vary")).toContain("Origin");
      expect(response.headers.get("access-control-expose-headers")).toContain("Retry-After");
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test("the token endpoint and revocation answer the same", async () => {
    for (const [path, fields] of [
      ["/oauth/v2/token", { grant_type: "refresh_token", refresh_token: "none" }],
      ["/oauth/v2/revoke", { token: "none" }],
    ] as const) {
      for (const [origin, allowed] of [
        [own, own],
        [added, added],
        [other, null],
      ] as const) {
        const response = await fetch(parties.server.url + path, {
          ...{ method: "POST", headers: { origin } },
          body: new URLSearchParams({ client_id: app.clientId, ...fields }),
        });
        expect([path, origin, allowedBy(response)]).toEqual([path, origin, allowed]);
      }
    }
  });
});
