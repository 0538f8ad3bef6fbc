import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { errorIn, heading } from "./browser.ts";
import { comersOf, isIn } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { happen } from "./mails.ts";
import { begin, fetchTokens, logIn } from "./relying.ts";

let parties: ExternalParties;
let comers: ReturnType<typeof comersOf>;

beforeAll(async () => {
  parties = await startExternal();
  comers = comersOf(parties);
});
afterAll(() => parties.close());

const auto = { isAutoCreation: true };

describe("the name of an account that comes of a provider", () => {
  /** What is typed of an account. */
  const account = () => ({ firstName: "Grace", lastName: "Hopper", email: `${v7()}@example.org` });
  const mine = () => ({ email: `${v7()}@example.org`, email_verified: true });

  test("is another one where somebody has it", async () => {
    const place = await comers.given(auto);
    const person = await parties.givenPerson();
    const head = await parties.server.head();
    const taken = { ...mine(), preferred_username: person.userName.toUpperCase() };
    const { browser, begun, page } = await comers.come(place, taken);
    expect(page).toMatchObject({ status: 409 });
    expect(await comers.since(head, person)).toEqual([]);
    const userName = v7();
    const back = await browser.send({ ...account(), userName }, "external-account");
    const made = (await fetchTokens(place.app, begun, back.url)).claims()?.sub;
    expect((await comers.read(place, made)).userName).toBe(userName);
    expect(await comers.since(head, person)).toEqual([]);
  });

  test.each([
    ["of somebody", (address: string) => address],
    ["of somebody in wide letters", (address: string) => address.replace("@", "＠")],
    ["of somebody in capitals", (address: string) => address.toUpperCase()],
  ])("is no address %s", async (_, write) => {
    const place = await comers.given(auto);
    const person = await parties.givenPerson({}, place.organization);
    const userName = write(person.email);
    const { browser, page } = await comers.come(place, { ...mine(), preferred_username: userName });
    expect(heading(page)).toBe("Complete your account");
    expect(await browser.send({ ...account(), userName }, "external-account")).toMatchObject({
      status: 400,
    });
    const tokens = await logIn(parties.browser(), place.app, { ...person, userName: person.email });
    expect(tokens.claims()?.sub).toBe(person.userId);
  });

  test("may be the own address, where the provider vouches for that", async () => {
    const place = await comers.given(auto);
    const said = mine();
    const { begun, page } = await comers.come(place, said);
    const made = (await fetchTokens(place.app, begun, page.url)).claims()?.sub;
    expect(await comers.read(place, made)).toMatchObject({
      ...{ userName: said.email, human: { email: { isEmailVerified: true } } },
    });
  });

  test("leaves an address that was typed unverified, whatever was verified before", async () => {
    const place = await comers.given({});
    const { browser, begun } = await comers.come(place, { ...mine(), preferred_username: v7() });
    await browser.send({}, "external-new");
    const email = `${v7()}@example.org`;
    const back = await browser.send({ ...account(), email, userName: v7() }, "external-account");
    const made = (await fetchTokens(place.app, begun, back.url)).claims()?.sub;
    const { human } = await comers.read(place, made);
    expect(human.email).toMatchObject({ email });
    expect(human.email.isEmailVerified).not.toBe(true);
  });

  test("errors are said beside the field", async () => {
    const place = await comers.given({});
    const { browser } = await comers.come(place, mine());
    await browser.send({}, "external-new");
    const page = await browser.send({ ...account(), userName: "<b>\u202e" }, "external-account");
    expect(page.status).toBe(400);
    expect(page.text).not.toContain("<b>");
    expect(errorIn(page)).not.toBe("");
  });
});

describe("a provider of an organization", () => {
  test("lets nobody of another in, whatever link there is", async () => {
    const place = await comers.given();
    const person = await parties.givenPerson();
    const externalUserId = v7();
    const link = { idpId: place.idpId, externalUserId, displayName: "" };
    await happen(parties, person, { type: "user.human.externalidp.added", payload: link });
    const head = await parties.server.head();
    const { page } = await comers.come(place, {}, externalUserId);
    expect(isIn(page)).toBe(false);
    expect(await comers.since(head, person)).toEqual([]);
  });

  test("is not asked by an application of another, whatever its scope names", async () => {
    const [place, other] = [await comers.given(auto), await comers.given(auto)];
    const at = { ...place, idpId: other.idpId };
    for (const scope of ["openid", `openid urn:iam:org:id:${place.organization}`]) {
      const browser = parties.browser();
      const begun = await begin(at.app, { idp_hint: at.idpId, scope });
      const page = await browser.open(begun.url.href);
      expect(page.url).toContain(`${parties.server.url}/ui/login/`);
    }
  });

  test("makes people of its own, where a scope leads to it from another", async () => {
    const [place, other] = [await comers.given(auto), await comers.given(auto)];
    const scope = `openid urn:iam:org:id:${other.organization}`;
    const sub = v7();
    const said = {
      ...{ preferred_username: sub, email: `${sub}@example.org`, email_verified: true },
    };
    const at = { app: place.app, idpId: other.idpId, parameters: { scope } };
    const { begun, page } = await comers.come(at, said, sub);
    const made = (await fetchTokens(place.app, begun, page.url)).claims()?.sub;
    expect((await comers.read(other, made)).userName).toBe(sub);
    await expect(comers.read(place, made)).rejects.toThrow();
  });
});
