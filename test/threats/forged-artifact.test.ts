import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { inFull } from "../harness/in-full.ts";
import { basic, isLetIn, post, statusOfUserinfo } from "../provider/asking.ts";
import type { Browser } from "../provider/browser.ts";
import { allowed, api, callWith, givenOwner, grant, offline } from "../provider/consenting.ts";
import {
  type App,
  begin,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "../provider/relying.ts";
import { type ArtifactTable, artifactTable, changed, keyOf, payloadOf } from "./artifacts.ts";

// Somebody writes rows of artifacts while the service runs, and has no key: in PostgreSQL as the
// role that may serve, and no more.

let parties: Parties;
let table: ArtifactTable;
let app: App;
let owner: Person;
/** Who forges: a person without a role, with tokens of the same application. */
let low: Person;

beforeAll(async () => {
  parties = await startParties();
  table = artifactTable(parties.server);
  app = await parties.givenApp();
  [owner, low] = [await givenOwner(parties), await parties.givenPerson()];
});
afterAll(() => parties.close());

const lasting = { scope: "openid offline_access" };
const search = "/management/v1/projects/_search";
const invalidGrant = { error: "invalid_grant" };

const refresh = ({ config }: App, token: string) => oidc.refreshTokenGrant(config, token);

/** The value of the cookie by which the library finds the session of a browser. */
function sessionIn(browser: Browser): string {
  return browser.cookies.get("iam.session")?.value ?? "";
}

describe("a session that somebody wrote is none:", () => {
  /** A machine with a token for the API. */
  async function givenMachine() {
    const userName = crypto.randomUUID();
    const made = await parties.call("POST", "/management/v1/users/machine", {
      ...{ userName, name: userName },
    });
    const userId = String(made.userId);
    const path = `/management/v1/users/${userId}/secret`;
    const { clientId, clientSecret } = await parties.call("PUT", path, {});
    const fields = { grant_type: "client_credentials", scope: api.scope };
    const headers = basic(String(clientId), String(clientSecret));
    const { body } = await post(parties, "/oauth/v2/token", fields, headers);
    return { userId, clientId: String(clientId), token: String(body.access_token) };
  }

  test("a token of a machine under a hash of the forger", async () => {
    const [robot, own] = [await givenMachine(), await givenMachine()];
    await grant(parties, robot, ["IAM_OWNER"]);
    expect((await callWith(parties, robot.token, search)).status).toBe(200);
    const genuine = await table.row("ClientCredentials", robot.token);
    await table.put({ ...genuine, key: keyOf("ClientCredentials", "f".repeat(43)) });
    const { clientId, extra } = payloadOf(genuine);
    const mine = await table.row("ClientCredentials", own.token);
    await table.put(changed(mine, { ...(clientId === undefined ? {} : { clientId }), extra }));
    for (const token of ["f".repeat(43), own.token]) {
      expect((await callWith(parties, token, search)).status).toBe(401);
    }
  });

  test("the result of a login that goes on", async () => {
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    const uid = new URL(browser.page.url).pathname.split("/").at(-1) ?? "";
    const [{ state } = { state: "{}" }] = await parties.server.sql(
      `SELECT state FROM objects WHERE stream = 'user-${owner.userId}'`,
    );
    const { passwordHash } = (JSON.parse(String(state)) as { human: { passwordHash: string } })
      .human;
    const ours = { factors: ["password"], browser: "0".repeat(64), resets: 0 };
    const result = {
      login: { accountId: owner.userId, amr: ["pwd"], remember: true },
      ours: { ...ours, password: hashSecret(passwordHash) },
    };
    await table.put(changed(await table.row("Interaction", uid), { result }));
    const back = await browser.open(`/oauth/v2/authorize/${uid}`);
    expect(back.url).not.toContain("code=");
    expect(await parties.typesOf(owner)).not.toContain("user.human.session.begun");
  });

  test("a refresh token and a grant of somebody else", async () => {
    const tokens = await logIn(parties.browser(), app, low, lasting);
    const genuine = await table.row("RefreshToken", String(tokens.refresh_token));
    const { grantId = "" } = payloadOf(genuine);
    const [id, token] = ["g".repeat(43), "r".repeat(43)];
    const whose = { accountId: owner.userId };
    const ofGrant = changed(await table.row("Grant", grantId), whose);
    await table.put(
      { ...ofGrant, key: keyOf("Grant", id), family: id },
      {
        ...changed(genuine, { ...whose, grantId: id }),
        ...{ key: keyOf("RefreshToken", token), family: id },
      },
    );
    await expect(refresh(app, token)).rejects.toMatchObject(invalidGrant);
  });

  test("an access token under another hash, or of somebody else", async () => {
    const [theirs, mine] = [
      await logIn(parties.browser(), app, owner),
      await logIn(parties.browser(), app, low),
    ];
    expect(await statusOfUserinfo(parties, theirs.access_token)).toBe(200);
    const forged = "a".repeat(43);
    const genuine = await table.row("AccessToken", theirs.access_token);
    await table.put({ ...genuine, key: keyOf("AccessToken", forged) });
    expect(await statusOfUserinfo(parties, forged)).toBe(401);
    const own = await table.row("AccessToken", mine.access_token);
    const { grantId = "" } = payloadOf(own);
    const whose = { accountId: owner.userId };
    await table.put(changed(own, whose), changed(await table.row("Grant", grantId), whose));
    expect(await statusOfUserinfo(parties, mine.access_token)).toBe(401);
  });

  test("a session under the cookie of the forger", async () => {
    const [theirs, mine] = [parties.browser(), parties.browser()];
    await logIn(theirs, app, owner);
    await logIn(mine, app, low);
    expect([await isLetIn(theirs, app), await isLetIn(mine, app)]).toEqual([true, true]);
    const genuine = await table.row("Session", sessionIn(theirs));
    await table.put({ ...genuine, key: keyOf("Session", sessionIn(mine)) });
    expect(await isLetIn(mine, app)).toBe(false);
  });

  test("a refresh token that is to be valid once more", async () => {
    const tokens = await logIn(parties.browser(), app, low, lasting);
    const spent = String(tokens.refresh_token);
    await refresh(app, spent);
    await table.put({ ...(await table.row("RefreshToken", spent)), uses: 0 });
    await expect(refresh(app, spent)).rejects.toMatchObject(invalidGrant);
  });
});

describe("a token that somebody puts back is none, where its end is recorded:", () => {
  /** What takes somebody back, as it was before an end, with the MACs of then. */
  async function putBack(end: () => Promise<unknown>): Promise<void> {
    const before = await table.all();
    await end();
    await table.put(...before);
  }
  const expectLast = async (person: Person, type: string) =>
    expect((await parties.typesOf(person)).at(-1)).toBe(type);

  test("one that was used twice", async () => {
    const person = await parties.givenPerson();
    const { refresh_token } = await logIn(parties.browser(), app, person, lasting);
    const spent = String(refresh_token);
    const { access_token, ...newest } = await refresh(app, spent);
    await putBack(() => expect(refresh(app, spent)).rejects.toMatchObject(invalidGrant));
    await expectLast(person, "user.human.token.reused");
    expect(await statusOfUserinfo(parties, access_token)).toBe(401);
    const last = String(newest.refresh_token);
    await expect(refresh(app, last)).rejects.toMatchObject(invalidGrant);
  });

  inFull("one that was given back, and no other of the person", async () => {
    const person = await parties.givenPerson();
    const other = await logIn(parties.browser(), app, person, lasting);
    const tokens = await logIn(parties.browser(), app, person, lasting);
    await putBack(() => oidc.tokenRevocation(app.config, tokens.access_token));
    await expectLast(person, "user.human.token.revoked");
    expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(401);
    const given = refresh(app, String(tokens.refresh_token));
    await expect(given).rejects.toMatchObject(invalidGrant);
    expect(await statusOfUserinfo(parties, other.access_token)).toBe(200);
    await refresh(app, String(other.refresh_token));
  });

  test("a session that was ended, and what lives as long", async () => {
    const [person, browser] = [await parties.givenPerson(), parties.browser()];
    const { access_token } = await logIn(browser, app, person);
    const cookie = sessionIn(browser);
    await putBack(async () => {
      await browser.open("/account/sessions");
      await browser.send({}, "here");
    });
    await expectLast(person, "user.human.session.ended");
    browser.hold("iam.session", cookie);
    expect(await isLetIn(browser, app)).toBe(false);
    expect(await statusOfUserinfo(parties, access_token)).toBe(401);
  });

  inFull("one of an application that may act for the person no more", async () => {
    const [person, browser] = [await givenOwner(parties), parties.browser()];
    const { access_token } = await allowed(browser, app, person, offline);
    expect((await callWith(parties, access_token, search)).status).toBe(200);
    await putBack(async () => {
      await browser.open("/account/sessions");
      await browser.send({}, "withdraw");
    });
    await expectLast(person, "user.human.consent.revoked");
    expect((await callWith(parties, access_token, search)).status).toBe(401);
  });
});
