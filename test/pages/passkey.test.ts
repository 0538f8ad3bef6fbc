import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { userLimits } from "../../src/domain/user/state/user.ts";
import { happen, type Site, startSite } from "./site.ts";

let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const used = { status: 400, heading: "This link is no longer valid" };
const asked = { requestPasswordlessRegistration: true, password: "long enough" };

describe("the link to create a passkey", () => {
  test("shows whose passkey it will be, and has what the script sends", async () => {
    const { userId, userName, passkeyLink } = await site.givenPerson(asked);
    const query = new URL(passkeyLink, site.server.url).searchParams;
    const page = await site.open(passkeyLink);
    expect(page).toMatchObject({ status: 200, heading: "Create a passkey" });
    expect(page.text).toContain(`<bdi>${userName}</bdi>`);
    const sent = { userId, codeId: query.get("codeID"), code: query.get("code") };
    for (const [name, value] of Object.entries(sent)) {
      expect(page.text).toContain(`<input type="hidden" name="${name}" value="${value}">`);
    }
    // Where the script sends it, seen from the page.
    const [, service = ""] = /data-service="([^"]+)"/.exec(page.text) ?? [];
    const begin = new URL(`${service}BeginPasskey`, site.server.url + page.path);
    const response = await fetch(begin, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    expect(await response.json()).toMatchObject({ options: { user: { name: userName } } });
    const [, done = ""] = /data-done="([^"]+)"/.exec(page.text) ?? [];
    const { pathname, search } = new URL(done, site.server.url + page.path);
    expect(await site.open(pathname + search)).toMatchObject({
      ...{ status: 200, heading: "Your passkey is ready" },
    });
  });

  test("says without a script that it takes one", async () => {
    const { passkeyLink } = await site.givenPerson(asked);
    const { text } = await site.open(passkeyLink);
    expect(text).toMatch(/<noscript><p class="error">[^<]*JavaScript[^<]*<\/p>\n<p><a /);
    expect(text).toMatch(/<form id="passkey-form" method="post" hidden\n/);
  });

  test("is used up by the passkey", async () => {
    const { userId, passkeyLink } = await site.givenPerson(asked);
    const codeId = new URL(passkeyLink, site.server.url).searchParams.get("codeID") ?? "";
    await happen(site, userId, {
      type: "user.human.passwordless.token.added",
      payload: { codeId, credentialId: "id", publicKey: "", counter: 0, transports: [], name: "" },
    });
    expect(await site.open(passkeyLink)).toMatchObject(used);
  });

  test("says that the account is full before a device makes a passkey", async () => {
    const { userId, passkeyLink } = await site.givenPerson(asked);
    const key = { codeId: "", publicKey: "", counter: 0, transports: [], name: "" };
    for (let nth = 0; nth < userLimits.passkeys; nth += 1) {
      await happen(site, userId, {
        type: "user.human.passwordless.token.added",
        payload: { ...key, credentialId: `${userId} ${nth}` },
      });
    }
    const page = await site.open(passkeyLink);
    expect(page).toMatchObject({ status: 429, heading: "Create a passkey" });
    expect(page.text).toContain("An account can have 50 passkeys. Remove one first.");
    expect(page.text).not.toContain("passkey-form");
  });

  test("expires", async () => {
    const { passkeyLink } = await site.givenPerson(asked);
    const begun = site.clock.nowMs;
    site.clock.nowMs = begun + codeLifetimesMs.passwordless - 1;
    expect(await site.open(passkeyLink)).toMatchObject({ status: 200 });
    site.clock.nowMs = begun + codeLifetimesMs.passwordless;
    expect(await site.open(passkeyLink)).toMatchObject(used);
    site.clock.nowMs = begun;
  });

  test("is good however often it is opened with a wrong code", async () => {
    const { userId, passkeyLink } = await site.givenPerson(asked);
    const before = await site.typesOf(userId);
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      expect(await site.open(`${passkeyLink}${nth}`)).toMatchObject(used);
    }
    expect(await site.open(passkeyLink)).toMatchObject({ status: 200 });
    expect(await site.typesOf(userId)).toEqual(before);
  });

  test("keeps the case of its code, which nobody types", async () => {
    const { passkeyLink } = await site.givenPerson(asked);
    const code = new URL(passkeyLink, site.server.url).searchParams.get("code") ?? "";
    expect(code.toUpperCase()).not.toBe(code);
    const other = passkeyLink.replace(code, code.toUpperCase());
    expect(await site.open(other)).toMatchObject(used);
  });

  test.each(["userID", "codeID", "code"])("needs its %s", async (name) => {
    const { passkeyLink } = await site.givenPerson(asked);
    const url = new URL(passkeyLink, site.server.url);
    url.searchParams.delete(name);
    expect(await site.open(url.pathname + url.search)).toMatchObject({
      ...{ status: 400, heading: "This link is incomplete" },
    });
  });
});
