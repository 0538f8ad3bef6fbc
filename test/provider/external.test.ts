import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { heading } from "./browser.ts";
import {
  comeBack,
  type ExternalParties,
  goElsewhere,
  logInElsewhere,
  startExternal,
} from "./external.ts";
import { type App, fetchTokens } from "./relying.ts";

let parties: ExternalParties;
let app: App;
let idpId: string;

beforeAll(async () => {
  parties = await startExternal();
  app = await parties.givenApp();
  idpId = await parties.givenProvider();
});
afterAll(() => parties.close());

const linked = (externalUserId: string) => ({
  idps: [{ configId: idpId, externalUserId, displayName: externalUserId }],
});

describe("who is linked to an account elsewhere", () => {
  test("logs in by it, and the token says so", async () => {
    const person = await parties.givenPerson(linked("ada"));
    const claims = await logInElsewhere(parties, parties.browser(), app);
    expect(claims).toMatchObject({ sub: person.userId, amr: ["fed"], acr: "urn:iam:acr:pwd" });
    const types = await parties.typesOf(person);
    expect(types).toContain("user.human.session.begun");
  });

  test("logs in by it once more where a session lasts", async () => {
    const browser = parties.browser();
    const [first, second] = [
      await logInElsewhere(parties, browser, app),
      await logInElsewhere(parties, parties.browser(), app),
    ];
    expect(second?.sub).toBe(first?.sub);
  });
});

describe("who is linked to nobody", () => {
  test("chooses between an account and a link", async () => {
    parties.foreign.users.eve = { name: "Eve", email: "eve@example.org" };
    const browser = parties.browser();
    const { url } = await goElsewhere(browser, app);
    const page = await comeBack(parties, browser, { url, sub: "eve" });
    expect(heading(page)).toBe("No account is linked yet");
    expect(page.text).toContain("Eve");
  });

  test("links by logging in with a password", async () => {
    const person = await parties.givenPerson();
    const browser = parties.browser();
    const { begun, url } = await goElsewhere(browser, app);
    await comeBack(parties, browser, { url, sub: "linda" });
    await browser.send({}, "external-link");
    const { userName, password } = person;
    const back = await browser.send({ userName, password }, "password");
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(person.userId);
    expect(await parties.toldOf(person)).toEqual(["externalidp.added"]);
    expect((await logInElsewhere(parties, parties.browser(), app, "linda"))?.sub).toBe(
      person.userId,
    );
  });
});
