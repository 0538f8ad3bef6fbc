import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { begin, callback, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("what is offered is advertised, and nothing else: nothing symmetric above all", async () => {
  const { url } = parties.server;
  const response = await fetch(`${url}/.well-known/openid-configuration`);
  const found = (await response.json()) as { readonly [name: string]: unknown };
  const methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"];
  const { grant_types_supported: grants, ...rest } = found;
  const all = ["authorization_code", "client_credentials", "implicit", "refresh_token"];
  const extended = ["device_code", "jwt-bearer"].map(
    (name) => `urn:ietf:params:oauth:grant-type:${name}`,
  );
  expect([...(grants as readonly string[])].sort()).toEqual([...all, ...extended]);
  expect(rest).toEqual({
    issuer: url,
    authorization_endpoint: `${url}/oauth/v2/authorize`,
    token_endpoint: `${url}/oauth/v2/token`,
    revocation_endpoint: `${url}/oauth/v2/revoke`,
    device_authorization_endpoint: `${url}/oauth/v2/device_authorization`,
    jwks_uri: `${url}/oauth/v2/keys`,
    userinfo_endpoint: `${url}/oidc/v1/userinfo`,
    end_session_endpoint: `${url}/oidc/v1/end_session`,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: ["RS256"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
    introspection_endpoint: `${url}/oauth/v2/introspect`,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    introspection_endpoint_auth_signing_alg_values_supported: ["RS256"],
    response_types_supported: [
      ...["code", "id_token", "id_token token"],
      ...["code id_token", "code token", "code id_token token"],
    ],
    response_modes_supported: ["form_post", "fragment", "query"],
    scopes_supported: expect.arrayContaining(["openid", "offline_access", "profile", "email"]),
    claims_supported: expect.arrayContaining(["sub", "name", "email", "phone_number"]),
    subject_types_supported: ["public"],
    acr_values_supported: ["urn:iam:acr:mfa", "urn:iam:acr:pwd"],
    claim_types_supported: ["normal"],
    claims_parameter_supported: true,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    ...{ backchannel_logout_supported: true, backchannel_logout_session_supported: true },
    prompt_values_supported: ["none", "create", "login", "select_account", "consent"],
    ui_locales_supported: ["en", "de", "fr", "es", "it", "ja", "ar"],
  });
});

test("keys are published without their private parts, and lie sealed in the log", async () => {
  const { server } = parties;
  const { keys } = (await (await fetch(`${server.url}/oauth/v2/keys`)).json()) as {
    readonly keys: readonly { readonly [name: string]: string }[];
  };
  expect(keys).toEqual([
    {
      ...{ kty: "RSA", use: "sig", alg: "RS256", e: "AQAB" },
      ...{ kid: expect.any(String), n: expect.any(String) },
    },
  ]);
  const [stored] = await server.store.load(["instance-1"]);
  const [held] = JSON.parse(stored?.state ?? "{}").signingKeys;
  expect(held.privateKey).toMatch(/^v1\./);
  const place = { stream: "instance-1", field: "signing.privateKey" };
  expect(server.keyring.open(held.privateKey, place)).toContain("PRIVATE KEY");
  const types = (await server.events()).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("instance.signing"))).toEqual([
    ...["instance.signing.key.added", "instance.signing.key.activated"],
  ]);
});

test("with https, cookies are of this host alone and travel by TLS alone", async () => {
  const secure = await startParties({ publicUrl: () => "https://iam.example.com" });
  try {
    const query = new URLSearchParams({
      ...{ client_id: await clientOf(secure), redirect_uri: callback, scope: "openid" },
      ...{ response_type: "code", code_challenge_method: "S256", code_challenge: "x".repeat(43) },
    });
    const to = `${secure.server.url}/oauth/v2/authorize?${query}`;
    const response = await fetch(to, {
      redirect: "manual",
      headers: { "x-forwarded-proto": "http", "x-forwarded-host": "evil.example.com" },
    });
    expect(response.headers.get("location")).toMatch(/^\/ui\/login\/[\w-]+$/);
    const cookies = response.headers.getSetCookie();
    expect(cookies).toHaveLength(3);
    const [own, ...ofPaths] = cookies;
    expect(own).toMatch(/^__Host-iam\.login\.\w{8}=[\w-]{43}; path=\/; .*; secure/);
    for (const cookie of ofPaths) {
      expect(cookie).toMatch(/^__Secure-iam\.(interaction|resume)=.*; path=\/\w+\/.*; secure/);
    }
    for (const cookie of cookies) {
      expect(cookie).toMatch(/httponly/);
      expect(cookie).toMatch(/samesite=lax/);
    }
    const { issuer, jwks_uri } = await fetch(
      `${secure.server.url}/.well-known/openid-configuration`,
    ).then((found) => found.json() as Promise<{ [name: string]: string }>);
    expect([issuer, jwks_uri]).toEqual([
      "https://iam.example.com",
      "https://iam.example.com/oauth/v2/keys",
    ]);
  } finally {
    await secure.close();
  }
});

async function clientOf({ call, server }: Parties): Promise<string> {
  const made = await call("POST", `/management/v1/projects/${server.project}/apps/oidc`, {
    ...{ name: "App", redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
  });
  return String(made.clientId);
}

describe("pages of other origins", () => {
  test("may call in the name of an application that names them, and no others", async () => {
    const app = await parties.givenApp({ additionalOrigins: ["https://other.example.com"] });
    for (const [origin, isAllowed] of [
      ["https://app.example.com", true],
      ["https://other.example.com", true],
      ["https://evil.example.com", false],
      ["null", false],
    ] as const) {
      const response = await fetch(`${parties.server.url}/oauth/v2/token`, {
        method: "POST",
        headers: { origin },
        body: new URLSearchParams({
          ...{ grant_type: "authorization_code", code: "none", redirect_uri: callback },
          client_id: app.clientId,
        }),
      });
      const allowed = response.headers.get("access-control-allow-origin");
      expect([origin, allowed]).toEqual([origin, isAllowed ? origin : null]);
    }
  });
});

test("a redirect URI that is not the application's leads nowhere", async () => {
  const app = await parties.givenApp();
  for (const uri of ["https://evil.example.com/callback", `${callback}/`, `${callback}?x=1`]) {
    const begun = await begin(app, { redirect_uri: uri });
    const page = await parties.browser().open(begun.url.href);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("redirect_uri")]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});
