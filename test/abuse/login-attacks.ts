import { once } from "node:events";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { callback } from "../fuzz/signed-in.ts";
import type { Attack } from "./attack.ts";
import type { AbusePlace } from "./place.ts";
import { ask, gone, openSession, type Pace, stranger } from "./wire.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
const get = { ":method": "GET" };

/** Where the application of the place sends people, with as much as fits in a state. */
function authorizationOf({ fuzz: { client } }: AbusePlace, state: string): string {
  const asked = { redirect_uri: callback, response_type: "code", scope: "openid", state };
  return `/oauth/v2/authorize?${new URLSearchParams({ client_id: client.id, ...asked })}`;
}

/** Asks the same again and again, as somebody else each time. */
function repeated(
  requestOf: (place: AbusePlace) => {
    readonly path: string;
    readonly fields: { readonly [name: string]: string };
    readonly body?: string;
  },
): Attack["run"] {
  return async (place, { repeat, stop }) => {
    const session = openSession(place.port);
    await repeat(8, async () => {
      const { path, fields, body = "" } = requestOf(place);
      const stream = ask(session, path, fields, Buffer.from(body));
      if (stream) await gone(stream.resume(), stop);
    });
    session.destroy();
  };
}

/** Logins that nobody goes on with, with as much as an address has room for. */
const begun = repeated((place) => ({
  path: authorizationOf(place, "x".repeat(12_000)),
  fields: get,
}));

/** The same with as much as is taken. */
const begunLargest = repeated((place) => {
  const asked = new URL(authorizationOf(place, ""), "http://localhost").searchParams;
  const others = JSON.stringify(Object.fromEntries(asked)).length;
  const state = "x".repeat(loginLimits.begunBytes - others);
  return { path: authorizationOf(place, state), fields: get };
});

/** Forms that begin and never end, each of another stranger. */
const halfSent: Attack["run"] = async ({ port }, { repeat, stop }) => {
  const paths = ["/oauth/v2/token", "/oauth/v2/introspect", "/ui/phone/verify"];
  await repeat(60, async () => {
    const session = openSession(port);
    for (let nth = 0; nth < 50; nth += 1) {
      const stream = ask(session, paths[nth % paths.length] ?? "", form);
      stream?.resume().write("a");
    }
    await gone(session, stop, 2_500);
  });
};

/** Codes of one person that come twice, and tokens that are given back. */
const reused: Attack["run"] = async (place: AbusePlace, { repeat, stop }: Pace) => {
  const session = openSession(place.port);
  const { client } = place.fuzz;
  const pair = Buffer.from(`${client.id}:${client.secret}`).toString("base64");
  const known = { ...form, authorization: `Basic ${pair}` };
  await repeat(4, async () => {
    const asked = `${authorizationOf(place, "x")}&prompt=none`;
    const opened = ask(session, asked, { ...get, cookie: client.session });
    if (opened === undefined) return;
    const { location = callback } = await headersOf(opened, stop);
    const code = new URL(location, callback).searchParams.get("code") ?? "none";
    const grant = { grant_type: "authorization_code", code, redirect_uri: callback };
    for (const [path, body] of [
      ["/oauth/v2/token", new URLSearchParams(grant)],
      ["/oauth/v2/token", new URLSearchParams(grant)],
      ["/oauth/v2/revoke", new URLSearchParams({ token: client.accessToken })],
    ] as const) {
      const sent = ask(session, path, known, Buffer.from(body.toString()));
      if (sent) await gone(sent.resume(), stop);
    }
  });
  session.destroy();
};

/** The same of one address, which is refused after some time. */
const begunByOne = repeated((place) => ({
  path: authorizationOf(place, "x"),
  fields: { ...get, "x-forwarded-for": "198.51.100.1" },
}));

/** Logouts of nobody, and sessions that are not there. */
const loggedOut = repeated(() => ({
  path: `/oidc/v1/end_session?state=${"x".repeat(6_000)}`,
  fields: { ...get, cookie: "iam.session=none" },
}));

const wrongSecrets = repeated(({ fuzz: { client, api } }) => {
  const isApi = Math.random() < 0.5;
  const secret = `${(isApi ? api : client).secret.slice(0, -4)}${Math.random()}`;
  const pair = Buffer.from(`${isApi ? api.id : client.id}:${secret}`).toString("base64");
  return {
    path: isApi ? "/oauth/v2/introspect" : "/oauth/v2/token",
    fields: { ...form, authorization: `Basic ${pair}` },
    body: "grant_type=client_credentials&token=x",
  };
});

/** Passwords for names that nobody has, of which each is hashed all the same. */
const guessed: Attack["run"] = async (place: AbusePlace, { repeat, stop }: Pace) => {
  const session = openSession(place.port);
  await repeat(8, async () => {
    const from = { "x-forwarded-for": stranger() };
    const opened = ask(session, authorizationOf(place, "x"), { ...get, ...from });
    if (opened === undefined) return;
    const { location = "", "set-cookie": set = [] } = await headersOf(opened, stop);
    const cookie = set.map((line) => line.split(";", 1)[0]).join("; ");
    const body = `step=password&userName=${Math.random()}&password=wrong`;
    const sent = ask(session, location, { ...form, ...from, cookie }, Buffer.from(body));
    if (sent) await gone(sent.resume(), stop);
  });
  session.destroy();
};

async function headersOf(stream: ClientHttp2Stream, stop: AbortSignal) {
  const [headers] = await once(stream.end(), "response", { signal: stop });
  await gone(stream.resume(), stop);
  return headers as IncomingHttpHeaders;
}

/** What befalls the provider and the pages on which people log in. */
export const loginAttacks: { readonly [name: string]: Attack } = {
  "half-sent forms": { perSecond: 20, run: halfSent },
  "begun logins of 12 KB": { perSecond: 50, run: begun },
  "largest begun logins": { perSecond: 50, run: begunLargest },
  "tokens of one person": { perSecond: 20, run: reused },
  "begun logins of one address": { perSecond: 100, run: begunByOne },
  "logouts of nobody": { perSecond: 50, run: loggedOut },
  "wrong secrets": { perSecond: 100, run: wrongSecrets },
  "guessed passwords": { perSecond: 20, run: guessed },
};
