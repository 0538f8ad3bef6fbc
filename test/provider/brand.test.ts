import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { givenOrganization } from "../harness/server.ts";
import { brandIn, giveBrand } from "../pages/brands.ts";
import { api } from "./consenting.ts";
import { askAs, mailedTo } from "./mails.ts";
import { givenOwn } from "./own-browser.ts";
import { type App, begin, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
/** Organizations with the brands `project`, `person` and `scope`; the instance has `instance`. */
let ofProject: string;
let ofPerson: string;
let ofScope: string;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  const { server } = parties;
  await giveBrand(server, undefined, "instance");
  const given = async (name: string) => {
    const organization = await givenOrganization(server);
    await giveBrand(server, organization, name);
    return organization;
  };
  ofProject = await given("project");
  ofPerson = await given("person");
  ofScope = await given("scope");
  person = await parties.givenPerson({}, ofPerson);
});
afterAll(() => parties.close());

type Setting =
  | "PRIVATE_LABELING_SETTING_UNSPECIFIED"
  | "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY"
  | "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY";

async function givenApp(privateLabelingSetting?: Setting, owner = ofProject): Promise<App> {
  const project = { name: crypto.randomUUID(), privateLabelingSetting };
  const { id } = await parties.call("POST", "/management/v1/projects", project, owner);
  return await parties.givenApp({}, String(id), owner);
}

const naming = (organization: string) => ({ scope: `openid urn:iam:org:id:${organization}` });

async function opened(app: App, parameters: { readonly [name: string]: string } = {}) {
  const browser = parties.browser();
  await browser.open((await begin(app, parameters)).url.href);
  return browser;
}

describe("until somebody has proven who they are, a login has the brand of", () => {
  test("the application's organization", async () => {
    expect(brandIn((await opened(await givenApp())).page)).toBe("project");
  });

  test("the organization that the scope names", async () => {
    for (const setting of [
      undefined,
      "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
    ] as const) {
      const app = await givenApp(setting);
      expect(brandIn((await opened(app, naming(ofScope))).page)).toBe("scope");
    }
  });

  test("the project, where it enforces its own, whatever a scope says", async () => {
    const app = await givenApp("PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY");
    expect(brandIn((await opened(app, naming(ofScope))).page)).toBe("project");
  });

  test("the instance, where the application's organization has none", async () => {
    const app = await givenApp(undefined, await givenOrganization(parties.server));
    expect(brandIn((await opened(app)).page)).toBe("instance");
  });
});

describe("one organization's brand on another's page", () => {
  const setting = "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY";

  test("is not seen by who types the name of somebody, or nobody's", async () => {
    const browser = await opened(await givenApp(setting));
    const seen = [];
    for (const userName of [person.userName, "nobody"]) {
      const { text } = await browser.send({ userName, password: "wrong" }, "password");
      seen.push(text.replaceAll(userName, ""));
      expect(brandIn({ text })).toBe("project");
    }
    expect(seen[0]).toBe(seen[1]);
  });

  test("is not seen by who has shown one factor of two", async () => {
    const app = await givenApp(setting);
    const changing = await parties.givenPerson({ passwordChangeRequired: true }, ofPerson);
    const browser = await opened(app);
    const page = await browser.send({ ...changing }, "password");
    expect([page.status, brandIn(page)]).toEqual([200, "project"]);
  });

  test("is not seen where who was logged in has to log in anew", async () => {
    const app = await givenApp(setting);
    const browser = await opened(app);
    await browser.send({ ...person }, "password");
    const { url } = await begin(app, { prompt: "login" });
    expect(brandIn(await browser.open(url.href))).toBe("project");
  });

  test("is not seen where the project does not allow it", async () => {
    const browser = await opened(await givenApp(), api);
    const page = await browser.send({ ...person }, "password");
    expect([page.text.includes("Allow access"), brandIn(page)]).toEqual([true, "project"]);
  });

  test("is not seen where the one that the scope names is not in use", async () => {
    const app = await givenApp();
    const inactive = await givenOrganization(parties.server);
    await giveBrand(parties.server, inactive, "inactive");
    await parties.call("POST", "/management/v1/orgs/me/_deactivate", {}, inactive);
    for (const named of [inactive, crypto.randomUUID(), "x"]) {
      expect(brandIn((await opened(app, naming(named))).page)).toBe("project");
    }
  });

  test("is not on the pages of the library, which anybody leads to", async () => {
    const app = await givenApp();
    const { url } = await begin(app, { redirect_uri: "https://evil.example.com/" });
    const browser = parties.browser();
    expect(brandIn(await browser.open(url.href))).toBe("instance");
    expect(browser.page.text).not.toContain('name="language"');
  });
});

describe("once somebody has proven who they are, the project says whose brand it is", () => {
  const allowed = "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY";
  const enforced = "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY";

  test.each([
    ["PRIVATE_LABELING_SETTING_UNSPECIFIED", "person", "person"],
    [enforced, "project", "project"],
    [allowed, "person", "person"],
  ] as const)("%s: by the scope of an organization %s, then %s", async (setting, before, then) => {
    const scope = `${api.scope} urn:iam:org:id:${ofPerson}`;
    expect(await brandsOf(await givenApp(setting), scope)).toEqual([before, then]);
  });

  test.each([
    ["PRIVATE_LABELING_SETTING_UNSPECIFIED", "project", "project"],
    [enforced, "project", "project"],
    [allowed, "project", "person"],
  ] as const)("%s: without such a scope %s, then %s", async (setting, before, then) => {
    expect(await brandsOf(await givenApp(setting), api.scope)).toEqual([before, then]);
  });

  /** The brands before and after the person logs in. */
  async function brandsOf(app: App, scope: string) {
    const browser = await opened(app, { scope });
    const before = brandIn(browser.page);
    const page = await browser.send({ ...person }, "password");
    expect(page.text).toContain("Allow access");
    return [before, brandIn(page)];
  }

  test("and the account page that of the person's organization", async () => {
    const browser = parties.browser();
    expect(brandIn(await browser.open("/account"))).toBe("instance");
    const { browser: own } = await givenOwn(parties, person);
    expect([own.page.url, brandIn(own.page)]).toEqual([
      ...[expect.stringMatching(/\/account$/), "person"],
    ]);
    expect(brandIn(await own.open("/account/password"))).toBe("person");
    expect(brandIn(await own.send({ current: "wrong", password: "x" }, "change"))).toBe("person");
  });
});

test("a forgotten password is replaced on a page of the person's organization", async () => {
  const browser = parties.browser();
  expect(brandIn(await askAs(browser, await givenApp(), person.userName))).toBe("project");
  const { link = "" } = (await mailedTo(parties, person)) ?? {};
  expect(brandIn(await browser.open(link.replace(/code=.*/, "code=x")))).toBe("instance");
  expect(brandIn(await browser.open(link))).toBe("person");
  const changed = await browser.send({ password: "another horse battery" });
  expect([changed.url, brandIn(changed)]).toEqual([expect.stringContaining("changed"), "project"]);
});

describe("the language of a login", () => {
  test("is the chosen one before that which the application asks for", async () => {
    const app = await givenApp();
    const browser = await opened(app, { ui_locales: "it de" });
    expect(browser.page.headers.get("content-language")).toBe("it");
    const { pathname } = new URL(browser.page.url);
    const page = await browser.open(`${pathname}?language=es`);
    expect([page.url.endsWith(pathname), page.headers.get("content-language")]).toEqual([
      true,
      "es",
    ]);
    const wrong = await browser.send({ userName: "nobody", password: "wrong" }, "password");
    expect(wrong.headers.get("content-language")).toBe("es");
    const refused = await browser.open("/oauth/v2/authorize?client_id=nobody&ui_locales=fr");
    expect(refused.headers.get("content-language")).toBe("es");
  });
});
