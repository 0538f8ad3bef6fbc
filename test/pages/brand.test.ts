import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { label } from "../../src/domain/policy/label.ts";
import { givenOrganization } from "../harness/server.ts";
import { brandIn, giveBrand, givePolicies, violet } from "./brands.ts";
import { formOf, type PageSeen, type Person, type Site, startSite } from "./site.ts";

const unready = { isEmailVerified: false, email: "ada@example.com" };

let site: Site;
let person: Person;

beforeAll(async () => {
  site = await startSite();
  const { server } = site;
  await giveBrand(server, undefined, "instance");
  await giveBrand(server, server.admin.organization, "own");
});
beforeEach(async () => {
  const given = { requestPasswordlessRegistration: true, phone: { phone: "+41791234567" } };
  person = await site.givenPerson({ ...given, email: unready });
});
afterAll(() => site.close());

describe("pages behind links have the brand of the instance", () => {
  const zeros = "0".repeat(32);

  test.each<[string, (given: Person) => string]>([
    ["a path that is none", () => "/ui/nothing"],
    ["a link that is not complete", () => "/ui/initialize"],
    ["where a code is asked for", ({ userId }) => `/ui/initialize?userID=${userId}`],
    ["with a wrong code", ({ userId }) => `/ui/initialize?userID=${userId}&code=${zeros}`],
    ["for a phone", ({ userId }) => `/ui/phone/verify?userID=${userId}`],
    ["for an e-mail", ({ userId }) => `/ui/email/verify?userID=${userId}&code=${zeros}`],
    ["for a passkey", ({ userId }) => `/ui/passwordless/init?userID=${userId}&codeID=x&code=y`],
    ["when all is done", ({ userId }) => `/ui/done?after=account&userID=${userId}`],
  ])("%s, for a person and for nobody", async (_, pathOf) => {
    const page = await site.open(pathOf(person));
    const other = await site.open(pathOf({ ...person, userId: "nobody" }));
    expect([brandIn(page), brandIn(other)]).toEqual(["instance", "instance"]);
  });

  test("after a wrong code was typed", async () => {
    const page = await site.open(`/ui/initialize?userID=${person.userId}`);
    expect(brandIn(await site.send(page, { code: "AAAAAA" }))).toBe("instance");
  });
});

describe("once a code is proven, they have the brand of the person's organization", () => {
  test("of an account, from the link to the last page", async () => {
    const account = await site.open(person.link);
    expect(brandIn(account)).toBe("own");
    const wrong = await site.send(account, { password: "short" });
    expect(brandIn(wrong)).toBe("own");
    const done = await site.send(wrong, { password: "long enough" });
    expect([done.heading, brandIn(done)]).toEqual(["Your account is ready", "own"]);
  });

  test("of an account whose code is typed", async () => {
    const page = await site.open(`/ui/initialize?userID=${person.userId}`);
    expect(brandIn(await site.send(page, { code: person.code }))).toBe("own");
  });

  test("of a passkey, and of what comes after it", async () => {
    const page = await site.open(person.passkeyLink);
    expect(brandIn(page)).toBe("own");
    const [, done = ""] = /data-done="([^"]*)"/.exec(page.text) ?? [];
    const next = new URL(done.replaceAll("&amp;", "&"), site.server.url + page.path);
    expect(brandIn(await site.open(next.pathname + next.search))).toBe("own");
  });

  test("of a phone number that is verified", async () => {
    const page = await site.open(`/ui/phone/verify?userID=${person.userId}`);
    expect(brandIn(await site.send(page, { code: person.phoneCode }))).toBe("own");
  });
});

describe("the style sheet of a brand", () => {
  const sheetOf = async (page: PageSeen) => {
    const [, path = ""] = /<link rel="stylesheet" href="([^"]*brand[^"]*)">/.exec(page.text) ?? [];
    return new URL(path, site.server.url + page.path).pathname;
  };
  const fetched = async (path: string) => {
    const response = await fetch(site.server.url + path);
    const { status, headers } = response;
    const about = [headers.get("content-type"), headers.get("cache-control")];
    return { status, about, text: await response.text() };
  };
  const css = "text/css; charset=utf-8";
  const kept = "public, max-age=31536000, immutable";

  test("is kept forever, and is the new one where a policy changed meanwhile", async () => {
    const organization = await givenOrganization(site.server);
    await givePolicies(site.server, organization, { label: violet });
    const path = await sheetOf(await site.open(`/ui/done?orgID=${organization}`));
    const before = await fetched(path);
    expect(before).toMatchObject({ status: 200, about: [css, kept] });
    expect(before.text).toContain("#6d28d9");
    const changed = { ...violet, primaryColor: "#065f46" };
    await givePolicies(site.server, organization, { label: changed });
    const after = await fetched(path);
    expect(after).toMatchObject({ status: 200, about: [css, "no-store"] });
    expect(after.text).toContain("#065f46");
    expect(await sheetOf(await site.open(`/ui/done?orgID=${organization}`))).not.toBe(path);
  });

  test("is of no colours that its owner has not", async () => {
    const organization = await givenOrganization(site.server);
    const path = (await sheetOf(await site.open("/ui/done"))).replace("instance", organization);
    expect(await fetched(path)).toMatchObject({ status: 200, about: [css, "no-store"] });
    await givePolicies(site.server, organization, { label: label.defaults });
    const sheet = await fetched(path);
    expect(sheet).toEqual({ status: 200, about: [css, "no-store"], text: "" });
  });
});

test("a page that answers a form has no choice of a language, which would lose it", async () => {
  const page = await site.open(person.link);
  expect(page.text).toContain('name="language"');
  const wrong = await site.send(page, { password: "short" });
  expect(wrong.text).not.toContain('name="language"');
  expect(formOf(wrong).hidden.userID).toBe(person.userId);
});
