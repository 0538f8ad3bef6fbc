import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { heading } from "./browser.ts";
import { comersOf, isIn } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { fetchTokens, logIn } from "./relying.ts";

let parties: ExternalParties;
let comers: ReturnType<typeof comersOf>;

beforeAll(async () => {
  parties = await startExternal();
  comers = comersOf(parties);
});
afterAll(() => parties.close());

const auto = { isAutoCreation: true };
const proposing = { autoLinking: "AUTO_LINKING_OPTION_EMAIL" };
const proposed = "Log in to your account here.";

describe("CVE-2026-56666: who has the e-mail address of somebody at the provider", () => {
  const verified = [true, false, undefined, "true"];

  test.each(verified)("(verified: %j) is not let in as that person", async (email_verified) => {
    const place = await comers.given();
    const person = await parties.givenPerson({}, place.organization);
    const head = await parties.server.head();
    const { page } = await comers.come(place, { email: person.email, email_verified });
    expect(heading(page)).toBe("No account is linked yet");
    expect(await comers.since(head, person)).toEqual([]);
  });

  test.each(verified)("(verified: %j) gets an account of its own", async (email_verified) => {
    const place = await comers.given(auto);
    const person = await parties.givenPerson({}, place.organization);
    const head = await parties.server.head();
    const { begun, page } = await comers.come(place, { email: person.email, email_verified });
    const known = isIn(page) ? page : undefined;
    // An address that nobody vouches for is no name either.
    expect(known !== undefined).toBe(email_verified === true || email_verified === "true");
    if (known !== undefined) {
      const sub = (await fetchTokens(place.app, begun, known.url)).claims()?.sub;
      expect(sub).not.toBe(person.userId);
    }
    expect(await comers.since(head, person)).toEqual([]);
    const { email, password } = person;
    const tokens = await logIn(parties.browser(), place.app, {
      ...person,
      userName: email,
      password,
    });
    expect(tokens.claims()?.sub).toBe(person.userId);
  });

  test("does not enter an account that waits for its person", async () => {
    for (const options of [auto, { ...auto, ...proposing }]) {
      const place = await comers.given(options);
      const email = `${v7()}@example.com`;
      const made = { email: { email }, password: "chosen by an importer" };
      const { userId } = await parties.givenPerson(made, place.organization);
      const head = await parties.server.head();
      const { begun, page } = await comers.come(place, { email, email_verified: true });
      const { sub } = (await fetchTokens(place.app, begun, page.url)).claims() ?? {};
      expect(sub).not.toBe(userId);
      expect(await comers.since(head, { userId })).toEqual([]);
    }
  });
});

describe("CVE-2026-56666: an address that is the same on both sides", () => {
  test("proposes the person, who has to log in here and is linked then", async () => {
    const place = await comers.given({ ...proposing, ...auto });
    const person = await parties.givenPerson({}, place.organization);
    const head = await parties.server.head();
    const said = { email: person.email.toUpperCase(), email_verified: true };
    const { sub, browser, begun, page } = await comers.come(place, said);
    expect(page.text).toContain(proposed);
    await browser.send({ userName: person.email, password: "a wrong one" }, "password");
    expect(await comers.since(head, person)).toEqual(["user.human.login.failed"]);
    const { password } = person;
    const back = await browser.send({ userName: person.email, password }, "password");
    expect((await fetchTokens(place.app, begun, back.url)).claims()?.sub).toBe(person.userId);
    expect(await comers.since(head, person)).toEqual([
      ...["user.human.login.failed", "user.human.externalidp.added", "user.human.notice.added"],
      "user.human.session.begun",
    ]);
    const again = await comers.come(place, said, sub);
    expect((await fetchTokens(place.app, again.begun, again.page.url)).claims()?.sub).toBe(
      person.userId,
    );
  });

  type Row = readonly [name: string, said: object, persons: readonly object[]];
  const email = { email: "both@example.com" };
  const here = { email: { ...email, isEmailVerified: true } };
  const there = { ...email, email_verified: true };

  test.each<Row>([
    ["is not verified there", { ...there, email_verified: false }, [here]],
    ["is there as a text that says nothing", { ...there, email_verified: "yes" }, [here]],
    ["is there as a number", { ...there, email_verified: 1 }, [here]],
    ["is there, and Entra vouches for it", { ...email, xms_edov: true }, [here]],
    ["is not verified here", there, [{ email }]],
    ["is that of two people", there, [here, here]],
    ["is that of nobody", there, []],
    ["is not said", { email_verified: true }, [here]],
    ["is said as a list", { ...there, email: ["both@example.com"] }, [here]],
    ["looks alike", { ...there, email: "bоth@example.com" }, [here]],
    ["is written in wide letters", { ...there, email: "both＠example.com" }, [here]],
  ])("proposes nobody where it %s", async (_, said, persons) => {
    const place = await comers.given(proposing);
    for (const one of persons) await parties.givenPerson(one, place.organization);
    const { page } = await comers.come(place, said);
    expect(heading(page)).toBe("No account is linked yet");
    expect(page.text).not.toContain(proposed);
  });

  test("proposes nobody of another organization, nor who is deactivated", async () => {
    const place = await comers.given(proposing);
    const other = await parties.givenPerson();
    const off = await parties.givenPerson({}, place.organization);
    const path = `/management/v1/users/${off.userId}/_deactivate`;
    await parties.call("POST", path, {}, place.organization);
    for (const { email } of [other, off]) {
      const { page } = await comers.come(place, { email, email_verified: true });
      expect(page.text).not.toContain(proposed);
    }
  });

  test("proposes nobody where links are not allowed", async () => {
    const place = await comers.given({ isLinkingAllowed: false });
    const person = await parties.givenPerson({}, place.organization);
    const { page } = await comers.come(place, { email: person.email, email_verified: true });
    expect(heading(page)).toBe("Complete your account");
  });
});

test("a provider that brings names up to date changes nothing else", async () => {
  const place = await comers.given({ isAutoUpdate: true });
  const person = await comers.linked(place);
  const said = { ...{ name: "Grace Hopper", given_name: "Grace" }, email: "grace@example.org" };
  const come = () => comers.come(place, { ...said, email_verified: true }, person.sub);
  const first = await come();
  await fetchTokens(place.app, first.begun, first.page.url);
  const head = await parties.server.head();
  const { begun, page } = await come();
  expect((await fetchTokens(place.app, begun, page.url)).claims()?.sub).toBe(person.userId);
  expect(await comers.since(head, person)).toEqual([
    ...["user.human.profile.changed", "user.human.session.begun"],
  ]);
  expect(await comers.read(place, person.userId)).toMatchObject({
    userName: person.userName,
    human: { profile: { firstName: "Grace" }, email: { email: person.email } },
  });
});
