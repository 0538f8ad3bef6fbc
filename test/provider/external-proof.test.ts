import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { cookiesOf } from "./asking.ts";
import { heading } from "./browser.ts";
import { comersOf, isIn, type Place } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";
import { begin, fetchTokens, logIn, type Person } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: ExternalParties;
let comers: ReturnType<typeof comersOf>;

beforeAll(async () => {
  parties = await startExternal();
  comers = comersOf(parties);
});
afterAll(() => parties.close());

const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
const notLinked = "The account wasn’t linked";

/** Comes as somebody new, and chooses to be linked to an account here. */
async function comeToLink(place: Place, sub?: string) {
  const came = await comers.come(place, {}, sub);
  await came.browser.send({}, "external-link");
  return came;
}

const here = ({ userName, password }: Person) => ({ userName, password });

/** The accounts at providers that a person is linked to. */
async function linksOf({ organization }: Pick<Place, "organization">, { userId }: Person) {
  const path = `/management/v1/users/${userId}/idps/_search`;
  const { result = [] } = await parties.call("POST", path, {}, organization);
  return (result as readonly { readonly providedUserId: string }[]).map(
    (one) => one.providedUserId,
  );
}

/** Has the provider allow something else from now on. */
const update = ({ organization, idpId }: Place, providerOptions: object) =>
  parties.call(
    "PUT",
    `/management/v1/idps/generic_oidc/${idpId}`,
    {
      ...{ name: v7(), issuer: parties.foreign.issuer, clientId: foreignClient.clientId },
      ...{ usePkce: true, scopes: ["openid"], providerOptions },
    },
    organization,
  );

describe("CVE-2026-9087, CVE-2026-82968, CVE-2026-92358: an account that is to be linked", () => {
  test("is linked to who logs in then, who is told", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { sub, browser, begun } = await comeToLink(place);
    const back = await browser.send(here(person), "password");
    expect((await fetchTokens(place.app, begun, back.url)).claims()).toMatchObject({
      ...{ sub: person.userId, amr: ["pwd"] },
    });
    expect(await linksOf(place, person)).toEqual([sub]);
    expect(await parties.toldOf(person)).toEqual(["externalidp.added"]);
  });

  test("is not linked to who logs in by the same address in another browser", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await comeToLink(place);
    const other = parties.browser();
    expect(await other.open(browser.page.url)).toMatchObject({ status: 400 });
    await logIn(other, place.app, person);
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("is not linked to who logs in another time in the same browser", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await comeToLink(place);
    await logIn(browser, place.app, person);
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("is not linked to somebody of another organization, who can log in without", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson();
    const { browser, begun } = await comeToLink(place);
    const page = await browser.send(here(person), "password");
    expect([page.status, heading(page)]).toEqual([409, notLinked]);
    await browser.send({}, "external-leave");
    const back = await browser.send(here(person), "password");
    expect((await fetchTokens(place.app, begun, back.url)).claims()?.sub).toBe(person.userId);
    expect(await parties.typesOf(person)).toEqual(["user.human.session.begun"]);
  });

  test("is not linked where somebody else was meanwhile", async () => {
    const place = await comers.given();
    const [first, second] = [
      await parties.givenPerson({}, place.organization),
      await parties.givenPerson({}, place.organization),
    ];
    const { sub, browser } = await comeToLink(place);
    const other = await comeToLink(place, sub);
    expect(isIn(await other.browser.send(here(first), "password"))).toBe(true);
    const page = await browser.send(here(second), "password");
    expect([page.status, heading(page)]).toEqual([409, notLinked]);
    expect([await linksOf(place, first), await linksOf(place, second)]).toEqual([[sub], []]);
  });

  test("is linked once: whom it was not linked to comes without it", async () => {
    const place = await comers.given();
    const [first, second] = [
      await parties.givenPerson(),
      await parties.givenPerson({}, place.organization),
    ];
    const { browser } = await comeToLink(place);
    expect(await browser.send(here(first), "password")).toMatchObject({ status: 409 });
    const again = { step: "password", ...here(second) };
    expect(isIn(await browser.send(again, "external-leave"))).toBe(true);
    expect(await linksOf(place, second)).toEqual([]);
  });

  test("is not linked by who does not want it", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await comeToLink(place);
    await browser.send({}, "external-leave");
    expect(isIn(await browser.send(here(person), "password"))).toBe(true);
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("is not linked by a password that was shown before a link was removed", async () => {
    const place = await comers.given();
    const { organization, idpId } = place;
    const person = await parties.givenPerson({ otpCode: secret }, organization);
    const { sub, browser } = await comeToLink(place);
    expect((await browser.send(here(person), "password")).text).toContain('value="otp"');
    const code = codeAt(secret, parties.clock.nowMs);
    const other = await comeToLink(place, sub);
    await other.browser.send(here(person), "password");
    await other.browser.send({ code }, "otp");
    expect(await linksOf(place, person)).toEqual([sub]);
    const path = `/management/v1/users/${person.userId}/idps/${idpId}/${sub}`;
    await parties.call("DELETE", path, undefined, organization);
    parties.clock.nowMs += 30_000;
    const fresh = codeAt(secret, parties.clock.nowMs);
    expect(await browser.send({ code: fresh }, "otp")).toMatchObject({ status: 400 });
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("is not linked where the provider is deactivated", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await comeToLink(place);
    const path = `/management/v1/idps/${place.idpId}/_deactivate`;
    await parties.call("POST", path, {}, place.organization);
    expect(await browser.send(here(person), "password")).toMatchObject({ status: 409 });
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("is not linked where the provider allows no links any more", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await comeToLink(place);
    await update(place, { isCreationAllowed: true });
    expect(await browser.send(here(person), "password")).toMatchObject({ status: 409 });
    expect(await linksOf(place, person)).toEqual([]);
  });
});

describe("a form that no page has", () => {
  /** Sends the form of a page as another one. */
  async function forge(place: Place, said: object, step: string, fields: object = {}) {
    const { browser } = await comers.come(place, said);
    return { browser, page: await browser.send({ step, ...fields }) };
  }

  test("links nobody where the provider allows no links", async () => {
    const place = await comers.given({ isLinkingAllowed: false });
    const person = await parties.givenPerson({}, place.organization);
    const { browser } = await forge(place, {}, "external-link");
    expect(await browser.send(here(person), "password")).toMatchObject({ status: 409 });
    expect(await linksOf(place, person)).toEqual([]);
  });

  test("creates nobody where the provider allows no accounts", async () => {
    const place = await comers.given({ isCreationAllowed: false });
    const email = `${v7()}@example.org`;
    const names = { userName: v7(), firstName: "Grace", lastName: "Hopper", email };
    const head = await parties.server.head();
    const { page } = await forge(place, {}, "external-account", names);
    expect(page).toMatchObject({ status: 403 });
    const types = (await parties.server.events(head)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("user."))).toEqual([]);
  });

  test.each(["external-link", "external-new", "external-account", "external-leave"])(
    "%s is the first page where nobody has come",
    async (step) => {
      const place = await comers.given();
      const browser = parties.browser();
      await browser.open((await begin(place.app)).url.href);
      const page = await browser.send({ step }, "password");
      expect(page.status).toBe(200);
      expect(page.text).toContain('name="password"');
    },
  );

  test.each(["external", "external-link", "external-new", "external-account", "external-leave"])(
    "%s is refused where another site has sent it",
    async (step) => {
      const place = await comers.given();
      const { browser } = await comers.come(place);
      const address = browser.page.url.replace(/\/idps\/.*/s, "");
      const send = async (headers: { readonly [name: string]: string }) => {
        const body = new URLSearchParams({ step, provider: place.idpId });
        const asked = { method: "POST", body, headers, redirect: "manual" } as const;
        return await fetch(address, asked);
      };
      const own = cookiesOf(browser);
      const { cookie = "" } = own;
      const forged = await send({ origin: "https://evil.example", cookie });
      expect([forged.status, await forged.text()]).toEqual([
        400,
        expect.stringContaining("That didn’t work"),
      ]);
      expect(await (await send(own)).text()).not.toContain("That didn’t work");
    },
  );

  test("goes to no provider that is not offered", async () => {
    const [place, other] = [await comers.given(), await comers.given()];
    for (const provider of [other.idpId, "", "unknown", v7()]) {
      const browser = parties.browser();
      await browser.open((await begin(place.app)).url.href);
      const page = await browser.send({ step: "external", provider }, "password");
      expect(page).toMatchObject({ status: 400, url: expect.stringContaining("/ui/login/") });
    }
  });
});
