import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { signingLimits } from "../../src/domain/signing.ts";
import { rotateSigningKeys } from "../../src/operate/signing.ts";
import { type Store, StoreUnavailable, type WhyUnavailable } from "../../src/store/store.ts";
import { few, inFull } from "../harness/in-full.ts";
import { cookiesOf, statusOfUserinfo } from "./asking.ts";
import {
  type App,
  begin,
  callback,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

// A store that cannot be read, or not be written, is no defect of the provider.

let parties: Parties;
let app: App;
let person: Person;
let reads: WhyUnavailable | "defect" | undefined;
/** What of it is not written; `artifacts`, where events are. */
let writes: WhyUnavailable | "artifacts" | undefined;

/** A store that refuses its callers for as long as somebody says so. */
function refusing({ artifacts, ...store }: Store): Store {
  const unless =
    <Given extends readonly unknown[], Result>(
      why: () => typeof reads | typeof writes,
      work: (...given: Given) => Promise<Result>,
    ) =>
    async (...given: Given) => {
      const refused = why();
      if (refused === "defect") throw new Error("nobody foresaw this");
      if (refused !== undefined)
        throw new StoreUnavailable("a path of this machine", {
          why: refused === "artifacts" ? "passing" : refused,
        });
      return await work(...given);
    };
  const [isRead, isWritten] = [() => reads, () => writes];
  return {
    ...store,
    find: unless(isRead, store.find),
    load: unless(isRead, store.load),
    append: unless(() => (writes === "artifacts" ? undefined : writes), store.append),
    artifacts: {
      ...artifacts,
      find: unless(isRead, artifacts.find),
      write: unless(isWritten, artifacts.write),
    },
  };
}

beforeAll(async () => {
  parties = await startParties({ wrap: refusing });
  [app, person] = [await parties.givenApp(), await parties.givenPerson()];
});
afterAll(() => parties.close());

async function whileRefused<Result>(
  why: { readonly reads?: typeof reads; readonly writes?: typeof writes },
  work: () => Promise<Result>,
): Promise<Result> {
  ({ reads, writes } = { reads: undefined, writes: undefined, ...why });
  try {
    return await work();
  } finally {
    [reads, writes] = [undefined, undefined];
  }
}

/** The lines of defects that the server has logged. */
const defects = () => parties.server.logged().filter((line) => JSON.parse(line).level >= 50);

test("people who begin a login see a page with the status 503, and programs JSON", async () => {
  const { href } = (await begin(app)).url;
  const [page, answer] = await whileRefused({ reads: "passing" }, async () => [
    await parties.browser().open(href),
    await fetch(href, { headers: { accept: "application/json" } }),
  ]);
  for (const { status, text } of [page, { status: answer.status, text: await answer.text() }]) {
    expect(status).toBe(503);
    expect(text).toContain("temporarily_unavailable");
    expect(text).not.toContain("a path of this machine");
  }
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(defects()).toEqual([]);
});

test("an application is told by its address that no login can begin", async () => {
  const begun = await begin(app);
  const { url } = await whileRefused({ writes: "history-changed" }, () =>
    parties.browser().open(begun.url.href),
  );
  const { searchParams } = new URL(url);
  expect(url.startsWith(callback)).toBe(true);
  expect(searchParams.get("error")).toBe("temporarily_unavailable");
  expect(searchParams.get("state")).toBe(begun.state);
  expect(defects()).toEqual([]);
});

few().each<[string, Parameters<typeof whileRefused>[0]]>([
  ["read", { reads: "passing" }],
  ["written", { writes: "history-changed" }],
])("a code works later where the store could not be %s", async (_, why) => {
  const [browser, begun] = [parties.browser(), await begin(app)];
  await browser.open(begun.url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", client_id: app.clientId, redirect_uri: callback },
    ...{ code: new URL(back.url).searchParams.get("code") ?? "", code_verifier: begun.verifier },
  });
  const headers = { origin: new URL(callback).origin };
  const init = { method: "POST", body, headers };
  const ask = () => fetch(`${parties.server.url}/oauth/v2/token`, init);
  const refused = await whileRefused(why, ask);
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { error: "temporarily_unavailable", error_description: expect.any(String) },
  ]);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(refused.headers.get("access-control-allow-origin")).toBe(headers.origin);
  expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
  expect((await ask()).status).toBe(200);
  expect(defects()).toEqual([]);
});

test("nothing is a defect at any path of a provider that was never asked before", async () => {
  const cold = await startParties({ wrap: refusing });
  const { url } = cold.server;
  const told = { error: "temporarily_unavailable", error_description: expect.any(String) };
  const form = new URLSearchParams({ token: "t" });
  const asApp = { authorization: `Basic ${btoa(`${app.clientId}:secret`)}` };
  await whileRefused({ reads: "passing" }, async () => {
    for (const path of ["/.well-known/openid-configuration", "/oauth/v2/keys"]) {
      const answer = await fetch(url + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 503, told]);
      expect(answer.headers.get("retry-after")).toBe("5");
    }
    for (const path of ["token", "revoke", "introspect"].map((one) => `/oauth/v2/${one}`)) {
      const answer = await fetch(url + path, { method: "POST", body: form, headers: asApp });
      expect([path, answer.status, await answer.json()]).toEqual([path, 503, told]);
    }
    const origin = "https://app.example.com";
    const headers = { authorization: `Bearer ${"A".repeat(43)}`, origin };
    const asked = await fetch(`${url}/oidc/v1/userinfo`, { headers });
    expect([asked.status, await asked.json()]).toEqual([503, told]);
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    for (const path of ["/oauth/v2/authorize", "/oidc/v1/end_session", "/ui/login/nobody"]) {
      const page = await cold.browser().open(path);
      expect([path, page.status]).toEqual([path, 503]);
    }
  });
  expect(cold.server.logged().filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  await cold.close();
});

test("keys that were read serve on where they cannot be looked at again", async () => {
  const keys = `${parties.server.url}/oauth/v2/keys`;
  const before = await (await fetch(keys)).json();
  parties.clock.nowMs += 90_000;
  await whileRefused({ reads: "passing" }, async () => {
    const answer = await fetch(keys);
    expect([answer.status, await answer.json()]).toEqual([200, before]);
  });
  expect(defects()).toEqual([]);
});

describe("keys that were read, for so long and not longer,", () => {
  let cold: Parties;
  const readMs = Date.now();
  let nowMs: number;
  const ask = async (path = "/oauth/v2/keys") => {
    const answer = await fetch(cold.server.url + path);
    return [answer.status, await answer.json()];
  };
  const away = [503, { error: "temporarily_unavailable", error_description: expect.any(String) }];
  beforeEach(async () => {
    nowMs = readMs;
    cold = await startParties({ wrap: refusing, now: () => nowMs });
    await ask();
  });
  afterEach(() => cold.close());

  test("serve on where the store cannot be read", async () => {
    const before = await ask();
    await whileRefused({ reads: "passing" }, async () => {
      nowMs = readMs + signingLimits.unreadMs;
      expect(await ask()).toEqual(before);
      // It has just been looked, which makes them no better.
      nowMs += 1;
      for (const path of ["/oauth/v2/keys", "/.well-known/openid-configuration"]) {
        expect([path, ...(await ask(path))]).toEqual([path, ...away]);
      }
      const page = await cold.browser().open("/oauth/v2/authorize");
      expect(page.status).toBe(503);
    });
    expect(await ask()).toEqual(before);
    expect(cold.server.logged().filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  inFull("serve on anew, once they were read again", async () => {
    nowMs = readMs + signingLimits.unreadMs;
    const before = await ask();
    await whileRefused({ reads: "passing" }, async () => {
      nowMs += signingLimits.unreadMs;
      expect(await ask()).toEqual(before);
      nowMs += 1;
      expect(await ask()).toEqual(away);
    });
  });

  inFull("are published no more, where another took their place", async () => {
    const before = await ask();
    const { store, keyring, execute } = cold.server;
    const offline = { store, execute, keyring, newId: v7, now: () => nowMs };
    const urgent = { algorithm: undefined, isUrgent: true };
    const alone = <T>(work: () => Promise<T>) => work();
    const { keyId } = await rotateSigningKeys({ ...offline, alone }, urgent);
    await whileRefused({ reads: "passing" }, async () => {
      nowMs = readMs + 90_000;
      expect(await ask()).toEqual(before);
      nowMs = readMs + signingLimits.unreadMs + 1;
      expect(await ask()).toEqual(away);
    });
    expect(await ask()).toEqual([200, { keys: [expect.objectContaining({ kid: keyId })] }]);
  });

  test("hide no defect", async () => {
    nowMs = readMs + 90_000;
    await whileRefused({ reads: "defect" }, async () => expect((await ask())[0]).toBe(500));
    expect((await ask())[0]).toBe(200);
  });
});

test("a login that is under way shows when to come again, and goes on later", async () => {
  const browser = parties.browser();
  const { url } = await browser.open((await begin(app)).url.href);
  const page = await whileRefused({ reads: "passing" }, () => browser.open(url));
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
  await browser.open(url);
  const back = await browser.send({ userName: person.userName, password: person.password });
  expect(back.url.startsWith(callback)).toBe(true);
  expect(defects()).toEqual([]);
});

test.each(["passing", "artifacts"] as const)(
  "a login whose end could not be written ends later, and in the same browser: %s",
  async (why) => {
    const browser = parties.browser();
    const begun = await begin(app);
    const { url } = await browser.open(begun.url.href);
    const { userName, password } = person;
    const body = new URLSearchParams({ step: "password", userName, password });
    const init = { method: "POST", body, headers: cookiesOf(browser), redirect: "manual" } as const;
    const back = String((await fetch(url, init)).headers.get("location"));
    const page = await whileRefused({ writes: why }, () => browser.open(back));
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(page.text).toContain("temporarily_unavailable");
    const { access_token } = await fetchTokens(app, begun, (await browser.open(back)).url);
    expect(await statusOfUserinfo(parties, access_token)).toBe(200);
    expect(defects()).toEqual([]);
  },
);

test.each(["", "&prompt=none", "&response_mode=form_post"])(
  "one who is logged in is shown a page where nothing can be written%s",
  async (more) => {
    const browser = parties.browser();
    await logIn(browser, app, person);
    const { href } = (await begin(app)).url;
    const page = await whileRefused({ writes: "passing" }, () => browser.open(href + more));
    const told = page.status === 0 ? new URL(page.url).searchParams.get("error") : page.status;
    expect(["temporarily_unavailable", 503]).toContain(told);
    expect(page.text).not.toMatch(/^temporarily/);
    expect(defects()).toEqual([]);
  },
);
