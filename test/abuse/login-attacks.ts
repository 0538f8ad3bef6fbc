import { once } from "node:events";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
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

/** Logins that nobody goes on with. */
const begun = repeated((place) => ({
  path: authorizationOf(place, "x".repeat(6_000)),
  fields: get,
}));

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
  "begun logins": { perSecond: 50, run: begun },
  "begun logins of one address": { perSecond: 100, run: begunByOne },
  "logouts of nobody": { perSecond: 50, run: loggedOut },
  "wrong secrets": { perSecond: 100, run: wrongSecrets },
  "guessed passwords": { perSecond: 20, run: guessed },
};
