import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { basic, post, statusOfUserinfo } from "./asking.ts";
import { createAsking, isSigned, type Profile } from "./profile.ts";
import { callback, type Parties, startParties } from "./relying.ts";

/**
 * Of the certification plans Implicit and Hybrid what the plan Basic does not have: what comes back
 * from the authorization endpoint, for each response type. No client library takes all of them.
 */

let parties: Parties;
let profile: Profile;

beforeAll(async () => {
  parties = await startParties();
  const types = ["CODE", "ID_TOKEN", "ID_TOKEN_TOKEN"];
  const app = await parties.givenApp({
    authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC",
    responseTypes: types.map((type) => `OIDC_RESPONSE_TYPE_${type}`),
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_IMPLICIT"],
  });
  profile = { parties, app, posting: app, person: await parties.givenPerson(), mode: "query" };
});
afterAll(() => parties.close());

/** Logs in; answers what stands in the fragment, or for a form in that. */
async function ask(asked: { readonly [name: string]: string }): Promise<URLSearchParams> {
  const { told, response } = await createAsking(profile).ask(asked);
  const at = response();
  if (!(at instanceof URL)) return told;
  expect(at.search).toBe("");
  return new URLSearchParams(at.hash.slice(1));
}

/** The half of a hash that goes with what came with it (OIDC Core 1.0, 3.3.2.11). */
function halfOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}

async function claimsOf(jwt: unknown): Promise<{ readonly [name: string]: unknown }> {
  expect(await isSigned(parties, String(jwt))).toBe(true);
  return JSON.parse(Buffer.from(String(jwt).split(".")[1] ?? "", "base64url").toString());
}

describe.each(["id_token", "id_token token", "code id_token", "code token", "code id_token token"])(
  "the response type %s",
  (response_type) => {
    const has = (name: string) => response_type.split(" ").includes(name);

    test.each(["fragment", "form_post"])("oidcc-server, by %s", async (response_mode) => {
      const { app, person } = profile;
      const told = await ask({ response_type, response_mode, nonce: "n" });
      const [code, token, jwt] = ["code", "access_token", "id_token"].map((name) => told.get(name));
      expect([told.get("state"), told.get("iss")]).toEqual(["abc", parties.server.url]);
      expect([code !== null, token !== null, jwt !== null]).toEqual([
        ...[has("code"), has("token"), has("id_token")],
      ]);
      const mine = { iss: parties.server.url, aud: app.clientId, sub: person.userId, nonce: "n" };
      if (jwt) {
        expect(await claimsOf(jwt)).toMatchObject({
          ...mine,
          ...(code ? { c_hash: halfOf(code) } : {}),
          ...(token ? { at_hash: halfOf(token) } : {}),
        });
      }
      if (token) expect(await statusOfUserinfo(parties, token)).toBe(200);
      if (!code) return;
      const fields = { grant_type: "authorization_code", code, redirect_uri: callback };
      const headers = basic(app.clientId, app.clientSecret);
      const { body } = await post(parties, "/oauth/v2/token", fields, headers);
      expect(await claimsOf(body.id_token)).toMatchObject(mine);
    });

    test("oidcc-ensure-request-without-nonce-fails, unless there is no id token", async () => {
      const told = await ask({ response_type });
      expect(told.get("error")).toBe(has("id_token") ? "invalid_request" : null);
    });

    test("oidcc-prompt-none-not-logged-in", async () => {
      const told = await ask({ response_type, nonce: "n", prompt: "none" });
      expect(told.get("error")).toBe("login_required");
    });
  },
);
