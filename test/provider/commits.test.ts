import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { createPeers } from "../../src/port/peer.ts";
import type { Store } from "../../src/store/store.ts";
import type { Browser } from "./browser.ts";
import { type App, begin, callback, type Parties, type Person, startParties } from "./relying.ts";

// Each commit is forced to the disk, which is most of what a login waits for. So what one request
// writes is one commit, but for what has to be written before something else is done.

let commits = 0;
let readsOfApp = 0;
let reads = 0;
let rows = 0;
let appId = "";
let parties: Parties;

/** A store that counts commits, looks at the row of the application, and rows that are read. */
const counting = (log: Store): Store => {
  const look =
    <Result>(read: (streams: readonly string[]) => Promise<Result>) =>
    (streams: readonly string[]) => {
      reads += 1;
      readsOfApp += streams.includes(`app-${appId}`) ? 1 : 0;
      return read(streams);
    };
  const forced =
    <Given extends readonly unknown[], Result>(write: (...given: Given) => Result) =>
    (...given: Given) => {
      commits += 1;
      return write(...given);
    };
  return {
    ...log,
    load: look((streams) => {
      rows += streams.length;
      return log.load(streams);
    }),
    versions: look(log.versions),
    append: forced(log.append),
    artifacts: { ...log.artifacts, write: forced(log.artifacts.write) },
  };
};

const from = { "x-forwarded-for": "203.0.113.7" };

beforeAll(async () => {
  parties = await startParties({ wrap: counting, peers: createPeers([["127.0.0.1", 32]]) });
  // What is read once in the life of a process: the keys, and where the application lies.
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  ({ appId } = app);
  await loggedIn(app, person);
});
afterAll(() => parties.close());

/** What one request has written and read of that. */
type Counts = readonly [commits: number, readsOfApp: number, rows: number];

async function counted<Result>(
  request: () => Promise<Result>,
): Promise<readonly [result: Result, counts: Counts]> {
  const before = [commits, readsOfApp, rows] as const;
  const result = await request();
  return [result, [commits - before[0], readsOfApp - before[1], rows - before[2]]];
}

/** Logs a person in, one request after the other; answers what each came to, and the tokens. */
async function loggedIn(app: App, { userName, password }: Pick<Person, "userName" | "password">) {
  const cookies = new Map<string, string>();
  const ask = async (url: string | URL, form?: object) => {
    const [response, counts] = await counted(async () => {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const site = { "sec-fetch-site": "same-origin", cookie, ...from };
      const body = form === undefined ? {} : { body: new URLSearchParams({ ...form }) };
      const method = form === undefined ? "GET" : "POST";
      const answer = await fetch(url, { method, ...body, headers: site, redirect: "manual" });
      await answer.text();
      return answer;
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";", 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    return [new URL(response.headers.get("location") ?? url, url), counts] as const;
  };
  const begun = await begin(app, { scope: "openid profile offline_access", prompt: "consent" });
  const [page, authorize] = await ask(begun.url);
  const [, shown] = await ask(page);
  const [back, sent] = await ask(page, { step: "password", userName, password });
  const [toApp, ended] = await ask(back);
  expect(toApp.href.startsWith(callback)).toBe(true);
  const [tokens, exchanged] = await counted(() =>
    oidc.authorizationCodeGrant(app.config, toApp, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    }),
  );
  return { tokens, counts: { authorize, shown, sent, ended, exchanged } };
}

test("a login makes six commits, and reads no policy, application or name again", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  ({ appId } = app);
  // Where it lies is found once in the life of a process.
  await loggedIn(app, person);
  const { counts, tokens } = await loggedIn(app, await parties.givenPerson());
  expect(counts).toEqual({
    authorize: [1, 1, 0],
    // The row is that of the instance, by whose key a passkey is asked for.
    shown: [0, 1, 1],
    // The tries that are counted before the password is compared, and what became of it. The row
    // here and below is the person's.
    sent: [2, 1, 1],
    // The event, and what follows from it.
    ended: [2, 1, 1],
    exchanged: [1, 1, 0],
  } satisfies Record<keyof typeof counts, Counts>);
  const refresh = () => oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? "");
  const before = reads;
  expect((await counted(refresh))[1]).toEqual([1, 1, 0]);
  // The application, the person, and what runs before the claims of its organization are told.
  expect(reads - before).toBe(3);
});

test("client credentials make one commit, and read the machine once", async () => {
  const { userId } = await parties.call("POST", "/management/v1/users/machine", {
    ...{ userName: crypto.randomUUID(), name: "Robot" },
  });
  const secret = await parties.call("PUT", `/management/v1/users/${userId}/secret`, {});
  const config = await oidc.discovery(
    new URL(parties.server.url),
    String(secret.clientId),
    undefined,
    oidc.ClientSecretBasic(String(secret.clientSecret)),
    { execute: [oidc.allowInsecureRequests] },
  );
  const before = reads;
  const [, [written]] = await counted(() => oidc.clientCredentialsGrant(config));
  // The machine, which was not seen before, and then its organization.
  expect([written, reads - before]).toEqual([1, 2]);
});

test("a password that is wrong makes two commits, and so does a name of nobody", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser: Browser = parties.browser(from);
  await browser.open((await begin(app)).url.href);
  for (const { userName } of [person, { userName: "nobody" }]) {
    const [, [written]] = await counted(() => browser.send({ userName, password: "wrong" }));
    expect([userName, written]).toEqual([userName, 2]);
  }
});
