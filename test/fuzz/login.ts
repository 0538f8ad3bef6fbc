import { deviceGrant } from "../../src/provider/base/device.ts";
import type { Random } from "../gateway/native/random.ts";
import { encoded, senderOf } from "./page.ts";
import type { FuzzRequest } from "./request.ts";
import { callback } from "./signed-in.ts";
import type { Values } from "./value.ts";

type Fields = readonly (readonly [name: string, value: string])[];
type Headers = readonly (readonly [name: string, value: string])[];

/** What is asked of the provider and of the pages on which people log in. */
interface Asked {
  readonly path: string;
  readonly fields: Fields;
  /** Whether the fields are a form, mostly; else they are a query. */
  readonly isForm: boolean;
  readonly headers?: Headers;
}

const formType = "application/x-www-form-urlencoded";
const types = [`${formType}; charset=utf-8`, "application/json", "multipart/form-data", "", "x"];

/** A request of an application or of a browser that logs in, right or with what is wrong. */
export function loginRequest(values: Values): FuzzRequest {
  const { random } = values;
  const { path, fields, isForm, headers = [] } = random.pick(kinds)(values);
  const isSent = random.once(20) ? !isForm : isForm;
  const text = encoded(changed(fields, random), values);
  const verb = random.once(30) ? random.pick(verbs) : isSent ? "POST" : "GET";
  const type = random.once(15) ? random.pick(types) : formType;
  const given = [
    ["accept", random.pick(["text/html", "*/*", "application/json", ""])] as const,
    ...(isSent ? [["content-type", type] as const] : []),
    ...headers,
    ...(random.once(20) ? [["origin", "https://app.example.com"] as const] : senderOf(random)),
    ...(random.once(20) ? [["x-forwarded-host", "evil.example.com"] as const] : []),
  ];
  const version = random.pick(["1.1", "2.0"] as const);
  const at = random.once(40) ? path + random.pick(["/", "/x", "%00", "%zz", "/../token"]) : path;
  const target = isSent ? at : `${at}?${text}`.slice(0, 12_000);
  const title = `login HTTP/${version} ${verb} ${at.slice(0, 40)}`;
  const body = Buffer.from(isSent ? text : "");
  return { title, wire: { title, version, verb, path: target, headers: given, body } };
}

const verbs = ["PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"];
const steps = [
  ...["otp", "change", "proceed", "other", "passkey", "assertion", "forgotten", "ask", "allow"],
  ...["deny", "cancel", "recovery", "recovery-code", "app", "none"],
];
const odd = [
  "",
  "\u0000",
  "\ufeff",
  "none",
  "__proto__",
  "a b",
  "{}",
  "[1]",
  "-1",
  "x".repeat(999),
];

/** The fields without some, with some twice, and with some that are something else. */
function changed(fields: Fields, random: Random): Fields {
  return fields
    .filter(() => !random.once(15))
    .flatMap(([name, value]) => {
      const one = [name, random.once(15) ? random.pick(odd) : value] as const;
      return random.once(40) ? [one, one] : [one];
    });
}

const kinds: readonly ((values: Values) => Asked)[] = [
  ({ place: { client }, random }) => ({
    path: "/oauth/v2/authorize",
    isForm: random.once(4),
    fields: [
      ["client_id", client.id],
      ["redirect_uri", callback],
      ["response_type", random.pick(["code", "code", "id_token", "code id_token", "none"])],
      ["scope", random.pick(["openid", "openid email offline_access", "x".repeat(99), "openid é"])],
      ["state", random.pick(["abc", '"><script>', "a\r\nb: c", "é"])],
      ["nonce", "n"],
      ["code_challenge", "x".repeat(random.pick([43, 43, 42, 129]))],
      ["code_challenge_method", random.pick(["S256", "S256", "plain"])],
      ...optional(random, [
        ["response_mode", random.pick(["query", "fragment", "form_post", "web_message"])],
        ["prompt", random.pick(["none", "login", "consent", "select_account", "none login"])],
        ["max_age", random.pick(["0", "-1", "1e9", "99999999999999999999", "x"])],
        ["claims", random.pick(['{"userinfo":{"name":null}}', "{", '{"__proto__":1}', "[]", "1"])],
        ["id_token_hint", random.pick([client.idToken, "e30.e30.", "..", "x"])],
        ["login_hint", random.pick(["ada", '"', "\u202e"])],
        ["ui_locales", random.pick(["de fr", "x-klingon", ","])],
        ["acr_values", "1 2"],
        ["request", "eyJhbGciOiJub25lIn0.e30."],
        ["request_uri", "http://127.0.0.1/"],
        ["resource", "https://api.example.com"],
      ]),
    ],
    headers: random.once(2) ? [["cookie", client.session]] : [],
  }),
  ({ place: { client }, random }) => ({
    path: "/oauth/v2/token",
    isForm: true,
    fields: [
      [
        "grant_type",
        random.pick([
          ...["authorization_code", "refresh_token", "client_credentials", "password"],
          ...["urn:ietf:params:oauth:grant-type:jwt-bearer", deviceGrant],
        ]),
      ],
      ["device_code", random.pick([client.code, "x"])],
      ["code", random.pick([client.code, "x", client.refreshToken])],
      ["assertion", random.pick([client.idToken, "x", "e30.e30.e30", "e30.eyJzdWIiOnt9fQ.e30"])],
      ["redirect_uri", callback],
      ["code_verifier", "x".repeat(43)],
      ["refresh_token", random.pick([client.refreshToken, client.code, "x"])],
      ["scope", random.pick(["openid", "openid email", "openid openid", "é"])],
      ...inBody(client, random),
    ],
    headers: proof(client, random),
  }),
  ({ place: { client }, random }) => ({
    path: random.once(4) ? `/device/${client.login}` : "/oauth/v2/device_authorization",
    isForm: !random.once(4),
    fields: [
      ["scope", random.pick(["openid", "openid offline_access", "é"])],
      ["max_age", random.pick(["0", "60", "x"])],
      ...inBody(client, random),
    ],
    headers: proof(client, random),
  }),
  ({ place: { api, client }, random }) => ({
    path: random.pick(["/oauth/v2/introspect", "/oauth/v2/introspect", "/oauth/v2/revoke"]),
    isForm: true,
    fields: [
      [
        "token",
        random.pick([client.accessToken, client.refreshToken, client.idToken, "x", "a.b.c"]),
      ],
      ["token_type_hint", random.pick(["access_token", "refresh_token", "x"])],
      ...inBody(api, random),
    ],
    headers: proof(random.once(4) ? client : api, random),
  }),
  ({ place: { client }, random }) => ({
    path: "/oidc/v1/userinfo",
    isForm: random.once(3),
    fields: random.once(3) ? [["access_token", client.accessToken]] : [],
    headers: random.once(4)
      ? []
      : [
          [
            "authorization",
            random.pick([`Bearer ${client.accessToken}`, "Bearer", "Bearer a.b.c", "Basic Og=="]),
          ],
        ],
  }),
  ({ place: { client }, random }) => ({
    path: `/oidc/v1/end_session${random.pick(["", "", "/confirm", "/success"])}`,
    isForm: random.once(3),
    fields: [
      ["id_token_hint", random.pick([client.idToken, "x", "a.b.c"])],
      ["post_logout_redirect_uri", random.pick(["https://app.example.com/bye", "javascript:1"])],
      ["client_id", client.id],
      ["state", "s"],
      ["xsrf", "x"],
      ["logout", "yes"],
    ],
    headers: random.once(4) ? [["cookie", client.session]] : [["cookie", "iam.session=x"]],
  }),
  ({ place: { client, human }, random }) => ({
    path: random.once(6) ? `/oauth/v2/authorize/${client.login}` : `/ui/login/${client.login}`,
    isForm: !random.once(4),
    fields: [
      // A password is hashed, which takes long: seldom.
      ["step", random.once(12) ? "password" : random.pick(steps)],
      ["userName", random.pick([human, "nobody", "a@b", "\u0000@"])],
      ["password", "wrong"],
      ["code", random.pick(["000000", "x", ""])],
      ["credential", random.pick(["{}", "null", '{"id":"a","response":{}}', "{"])],
    ],
    headers: [["cookie", random.once(8) ? client.session : client.pending]],
  }),
  ({ random }) => ({
    path: random.pick(["/.well-known/openid-configuration", "/oauth/v2/keys", "/oauth/v2/x"]),
    isForm: false,
    fields: [],
  }),
];

function optional(random: Random, fields: Fields): Fields {
  return fields.filter(() => random.once(6));
}

interface Proved {
  readonly id: string;
  readonly secret: string;
}

function proof({ id, secret }: Proved, random: Random): Headers {
  if (random.once(5)) return [];
  const pairs = [
    `${id}:${secret}`,
    `${id}:${secret}`,
    `${id}:wrong`,
    id,
    ":",
    "%zz:%zz",
    "\u0000:x",
  ];
  const text = Buffer.from(random.pick(pairs), "latin1").toString("base64");
  return [
    ["authorization", random.pick([`Basic ${text}`, `Basic ${text}`, `basic ${text}`, text])],
  ];
}

function inBody({ id, secret }: Proved, random: Random): Fields {
  return optional(random, [
    ["client_id", id],
    ["client_secret", secret],
    ["client_assertion", random.pick(["e30.e30.", "a.b.c", "x", ".."])],
    ["client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"],
  ]);
}
