import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { defaultLimits } from "../../src/gateway/call/limits.ts";
import { formBytesMax } from "../../src/pages/form.ts";
import { createPeers } from "../../src/port/peer.ts";
import type { Store } from "../../src/store/store.ts";
import { shortened } from "../harness/extent.ts";
import { describeFew, describeInFull, few } from "../harness/in-full.ts";
import { type BeginForm, formsTo, type HalfSent, leaveAll } from "./half-sent.ts";
import { type App, begin, type Parties, startParties } from "./relying.ts";

/** Requests that never end, and answers that nobody takes, keep nobody else out. */

const most = 4;
const toProxy = createPeers([["127.0.0.1", 32]]);
let parties: Parties;
let app: App;

beforeAll(async () => {
  const limits = { openCallsMax: most, stopGraceMs: 0, unwantedBodyMs: 0, formTimeoutMs: 60_000 };
  parties = await startParties({ limits, peers: toProxy });
  app = await parties.givenApp();
});
afterEach(leaveAll);
afterAll(() => parties.close());

const page = /^1\ntext\/html.*<h1>/s;
const oauth = /^1\napplication\/json[^\n]*\n\{"error":"temporarily_unavailable"/;
const forms: { readonly [path: string]: RegExp } = {
  "/oauth/v2/token": oauth,
  "/ui/phone/verify": page,
  "/oauth/v2/introspect": oauth,
  "/oidc/v1/userinfo": oauth,
  "/oauth/v2/revoke": oauth,
  "/oauth/v2/device_authorization": oauth,
  "/device": page,
  "/oauth/v2/authorize": page,
  "/oidc/v1/end_session": page,
  "/oidc/v1/end_session/confirm": page,
};

/** The status of what honest people and applications ask for. */
async function honest({ server }: Parties, own = app): Promise<readonly number[]> {
  const from = { "x-forwarded-for": "198.51.100.9" };
  const statuses: number[] = [];
  const { url } = await begin(own);
  const paths = [
    url.pathname + url.search,
    "/account/sessions",
    "/.well-known/openid-configuration",
    "/oauth/v2/keys",
    "/oidc/v1/userinfo",
  ];
  for (const path of paths) {
    const answer = await fetch(server.url + path, { headers: from, redirect: "manual" });
    statuses.push(answer.status);
  }
  const body = new URLSearchParams({ grant_type: "authorization_code", code: "x" });
  const token = await fetch(`${server.url}/oauth/v2/token`, {
    method: "POST",
    headers: from,
    body,
  });
  return [...statuses, token.status];
}
const served = [303, 303, 200, 200, 401, 400];

const versions = ["HTTP/1.1", "HTTP/2"] as const;

describeFew().each(versions)("half-sent forms over %s", (version) => {
  const beginForm: BeginForm = (...about) => formsTo(parties.server.port)[version]!(...about);

  test.each(shortened(Object.entries(forms), 4))(
    "at %s: the oldest is refused, and nobody else",
    async (path, refusal) => {
      const open: HalfSent[] = [];
      const beginOne = async () => open.push(await beginForm(path, 100));
      for (let nth = 1; nth < most; nth += 1) await beginOne();
      expect(await honest(parties)).toEqual(served);
      await beginOne();
      expect(await Promise.race([...open.map(({ answered }) => answered), "open"])).toBe("open");
      await beginOne();
      const all = open.map(async ({ answered }, nth) => ({ nth, ...(await answered) }));
      const first = await Promise.race(all);
      expect(first).toMatchObject({ nth: 0, status: 429 });
      expect(first.text).toMatch(refusal);
      expect(await honest(parties)).toEqual(served);
    },
  );

  test("are refused past their time, and large ones past that of all requests", async () => {
    const limits = { formTimeoutMs: 100, requestTimeoutMs: 60_000, stopGraceMs: 0 };
    const quick = await startParties({ limits, peers: toProxy });
    const beginQuick = formsTo(quick.server.port)[version]!;
    const large = await beginQuick("/oauth/v2/token", formBytesMax + 1);
    const small = await beginQuick("/oauth/v2/token", formBytesMax);
    expect((await small.answered)?.text).toContain("within 100 ms");
    large.send("=".repeat(formBytesMax));
    expect((await large.answered)?.text).toContain('"error":"invalid_request"');
    expect((await large.answered)?.text).not.toContain("within");
    await quick.close();
  });
});

test("half-sent forms: of answers that nobody takes the oldest goes", async () => {
  const session = connect(parties.server.url, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  const ask = async () => {
    const stream = session.request({
      ...{ ":path": "/ui/x", accept: "text/html", "x-forwarded-for": "203.0.113.1" },
    });
    await once(
      stream.on("error", () => {}),
      "response",
    );
    return stream;
  };
  try {
    const first = await ask();
    for (let nth = 1; nth < most; nth += 1) await ask();
    expect(await honest(parties)).toEqual(served);
    const gone = new Promise<unknown>((resolve) => first.once("close", resolve));
    await ask();
    if (!first.closed) await gone;
  } finally {
    session.destroy();
  }
});

describe("half-sent forms: what is worked on", () => {
  const code = { grant_type: "authorization_code", code: "x" };
  const body = new URLSearchParams({ ...code, client_id: "x" });
  const get = { method: "GET" };
  const kinds = {
    pages: [["/oauth/v2/authorize?client_id=x", get], page, [400]],
    tokens: [["/oauth/v2/token", { method: "POST", body }], oauth, [401]],
    lookups: [["/oidc/v1/userinfo", { headers: { authorization: "Bearer x" } }], oauth, [401]],
  } as const;

  let held: Parties;
  let hold: Promise<void> | undefined;
  let holding: (() => void) | undefined;
  let holdBrand: Promise<void> | undefined;

  beforeAll(async () => {
    // Whatever is looked for is found when it may be.
    const waitFor = async <Found>(find: () => Promise<Found>): Promise<Found> => {
      holding?.();
      await hold;
      return await find();
    };
    const wrap = (log: Store): Store => ({
      ...log,
      load: async (...about) => {
        await holdBrand;
        return await log.load(...about);
      },
      find: (claim) => waitFor(() => log.find(claim)),
      artifacts: {
        ...log.artifacts,
        find: (key, nowMs) => waitFor(() => log.artifacts.find(key, nowMs)),
      },
    });
    held = await startParties({ limits: { openCallsMax: 1, stopGraceMs: 0 }, wrap });
  });
  afterAll(() => held.close());

  const ask = async ([path, init]: (typeof kinds)[keyof typeof kinds][0]) => {
    const answer = await fetch(held.server.url + path, init);
    const { headers } = answer;
    const told = [headers.get("retry-after"), headers.get("content-type"), await answer.text()];
    return { status: answer.status, text: told.join("\n") };
  };
  few().each(Object.entries(kinds))(
    "of %s, leaves the others their places",
    async (name, about) => {
      const release = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      [hold, holding] = [release.promise, begun.resolve];
      const first = ask(about[0]);
      await begun.promise;
      [hold, holding] = [undefined, undefined];
      const answers: Awaited<typeof first>[] = [];
      for (const [request] of Object.values(kinds)) answers.push(await ask(request));
      release.resolve();
      expect([(await first).status]).toEqual(about[2]);
      for (const [nth, [kind, [, refusal, served]]] of Object.entries(kinds).entries()) {
        if (kind === name) expect(answers[nth]?.text).toMatch(refusal);
        expect([answers[nth]?.status]).toEqual(kind === name ? [429] : served);
      }
      expect([(await ask(about[0])).status]).toEqual(about[2]);
    },
  );

  test("is no page for a sender who has left", async () => {
    const release = Promise.withResolvers<void>();
    await formsTo(held.server.port)["HTTP/1.1"]!("/ui/phone/verify", 100);
    holdBrand = release.promise;
    await leaveAll();
    while (!held.server.logged().join("").includes('"CANCELED"')) await pause(5);
    holdBrand = undefined;
    const { status } = await ask(kinds.pages[0]);
    release.resolve();
    expect(status).toBe(400);
  });

  test("is refused by a short line of no great level", async () => {
    const lines = held.server.logged().map((line) => JSON.parse(line));
    const refused = lines.filter(({ error }) => error === "temporarily_unavailable");
    expect(refused.length).toBeGreaterThan(0);
    for (const { level } of lines) expect(level).toBeLessThan(50);
    for (const line of refused) expect(JSON.stringify(line).length).toBeLessThan(400);
  });
});

// With the limits of the service: as many as there may be, from four networks or from this machine.
describeInFull("half-sent forms, as many as there may be of all", () => {
  const { openCallsMax, openCallsOfAddressMax } = defaultLimits;
  const nth = (i: number) => `2001:db8:${Math.floor(i / openCallsOfAddressMax)}:1::1`;

  few().each([
    ["of four networks", toProxy, nth],
    ["of this machine", createPeers([]), () => "198.51.100.1"],
  ])("%s, keep nobody out", async (_of, peers, from) => {
    const { connectionsMax } = defaultLimits;
    const crowded = await startParties({ peers, limits: { connectionsMax, stopGraceMs: 0 } });
    const own = await crowded.givenApp();
    const beginForm = formsTo(crowded.server.port)["HTTP/1.1"]!;
    const open: HalfSent[] = [];
    for (let i = 0; i < openCallsMax; i += 1) {
      open.push(await beginForm("/oauth/v2/token", 100, from(i)));
    }
    expect(await honest(crowded, own)).toEqual(served);
    const lines = crowded.server.logged().map((line) => JSON.parse(line));
    for (const { level } of lines) expect(level).toBeLessThan(50);
    await crowded.close();
  });
});
