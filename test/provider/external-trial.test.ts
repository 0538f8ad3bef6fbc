import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { trialLimits } from "../../src/api/idp/template.ts";
import { heading } from "./browser.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";

let parties: ExternalParties;

beforeAll(async () => {
  parties = await startExternal();
});
afterAll(() => parties.close());

interface Tried {
  readonly steps: readonly {
    readonly name: string;
    readonly ok?: boolean;
    readonly found: string;
    readonly advice?: string;
  }[];
  readonly loginUrl?: string;
}

async function tryIt(id: string, organization?: string): Promise<Tried> {
  const path = `/management/v1/idps/${id}/_test`;
  const tried = await parties.call("POST", path, {}, organization);
  return tried as unknown as Tried;
}

const orgs = "/management/v1/orgs";
const dayMs = 24 * 60 * 60_000;
const given = (more: object = {}) => parties.givenProvider({ more: { name: v7(), ...more } });
const heads = async () => (await parties.server.events()).length;

describe("a trial of a provider", () => {
  test("finds all that a login needs, and writes nothing", async () => {
    const id = await given();
    const before = await heads();
    const { steps, loginUrl } = await tryIt(id);
    expect(loginUrl).toContain(`${parties.foreign.issuer}/auth?`);
    expect(steps.map(({ name, ok }) => [name, ok])).toEqual(
      ["discovery", "keys", "client", "address"].map((name) => [name, true]),
    );
    expect(steps[0]?.found).toBe(`${parties.foreign.issuer}, with userinfo`);
    expect(steps[3]?.found).toContain(`${parties.server.url}/idps/${id}/callback`);
    expect(await heads()).toBe(before);
  });

  test("says that the secret is wrong", async () => {
    const { steps, loginUrl } = await tryIt(await given({ clientSecret: "another" }));
    expect(steps.at(-1)).toMatchObject({ name: "client", found: "invalid_client" });
    expect(steps.at(-1)?.advice).toContain("client secret");
    expect([steps.at(-1)?.ok, loginUrl]).toEqual([undefined, undefined]);
  });

  test("says that the issuer is another", async () => {
    const { issuer } = parties.foreign;
    const { steps } = await tryIt(
      await given({ issuer: issuer.replace("127.0.0.1", "localhost") }),
    );
    expect(steps).toHaveLength(1);
    expect(steps[0]?.name).toBe("discovery");
  });

  test.each([
    ["HTML with status 500", 500, "text/html", "<b>a secret of the host</b>"],
    ["no keys", 200, "application/json", '{"keys":[]}'],
  ])("repeats nothing of an answer: %s", async (_, status, type, body) => {
    const id = await given();
    await tryIt(id);
    parties.foreign.answer = (request, response) => {
      if (!request.url?.startsWith("/jwks")) return false;
      response.writeHead(status, { "content-type": type }).end(body);
      return true;
    };
    const { steps } = await tryIt(id);
    parties.foreign.answer = undefined;
    expect(steps.at(-1)?.found).toBe(`no keys, with status ${status}`);
    expect(JSON.stringify(steps)).not.toContain("secret of the host");
  });
});

describe("a login that is walked to try a provider", () => {
  test("shows what the provider says, once, and makes nobody", async () => {
    const { loginUrl = "" } = await tryIt(await given());
    const before = await heads();
    const browser = parties.browser();
    const back = await parties.foreign.logIn(loginUrl, "ada");
    const page = await browser.open(back);
    expect(heading(page)).toBe("The provider works");
    expect(page.text).toContain("Ada Lovelace");
    expect(page.text).toMatch(/<dt>Verified email<\/dt><dd>.*ada@example\.org/);
    expect(heading(await browser.open(back))).toBe("This login has expired");
    expect(await heads()).toBe(before);
    expect(page.text).not.toContain(foreignClient.clientSecret);
  });

  test("says why it came to nothing", async () => {
    const { loginUrl = "" } = await tryIt(await given());
    const page = await parties.browser().open(await parties.foreign.cancel(loginUrl));
    expect([page.status, heading(page)]).toEqual([400, "You weren’t logged in"]);
    expect(page.text).toContain("access_denied");
  });
});

test("trials that end logins of others: an organization has so many in a day", async () => {
  const { store, admin } = parties.server;
  const [{ id: other }, idpId] = [await parties.call("POST", orgs, { name: v7() }), await given()];
  const there = await parties.givenProvider({ organization: String(other) });
  parties.clock.nowMs += dayMs;
  const { nowMs } = parties.clock;
  const key = `trials:${hash("sha256", admin.organization, "base64url")}`;
  const one = { kind: "count", key, expiresMs: nowMs + dayMs } as const;
  const before = Array.from({ length: trialLimits.trialsPerDay - 1 }, () => one);
  await store.artifacts.write(before, nowMs);
  expect((await tryIt(idpId)).loginUrl).toBeDefined();
  await expect(tryIt(idpId)).rejects.toThrow(
    /"code":8,.*ask again in 14\d\d minutes.*TOO_MANY_CALLS/s,
  );
  expect((await tryIt(there, String(other))).steps).toHaveLength(4);
  parties.clock.nowMs += dayMs;
  expect((await tryIt(idpId)).loginUrl).toBeDefined();
});
