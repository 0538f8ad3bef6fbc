import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { app as apps } from "../../src/domain/app/app.ts";
import { streamOf } from "../../src/domain/noun.ts";
import { revokeConsent } from "../../src/domain/user/login/consent.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { projector } from "../../src/log/projector.ts";
import { describeFew, few, inFull } from "../harness/in-full.ts";
import { watchClients, watching } from "../harness/watches.ts";
import { allowed, ask, callWith, givenOwner, grant, jwt } from "./consenting.ts";
import {
  type App,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

/** What is special about calls with access tokens; see also api-token.test.ts. */

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const projects = "/management/v1/projects";
const read = async (token: string) =>
  (await callWith(parties, token, `${projects}/_search`)).status;

const revoke = ({ clientId }: App, { userId }: Person) =>
  parties.server.execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    decide: (states) => revokeConsent(states.user, { clientId }),
  });

describeFew().each(watchClients)("a watch over %s", (client) => {
  test("is none for a token without the scope, and ends with the consent", async () => {
    const [app, owner] = [await parties.givenApp(), await givenOwner(parties)];
    const { url } = parties.server;
    const without = await logIn(parties.browser(), app, owner);
    const refused = await watching(client, url, without.access_token).end();
    expect(refused).toMatchObject({ code: 16, reason: "UNAUTHENTICATED", positions: [] });

    const { access_token } = await allowed(parties.browser(), app, owner);
    const watch = watching(client, url, access_token, {});
    expect(await watch.positions(1)).toEqual([1n]);
    await revoke(app, owner);
    expect(await watch.end()).toMatchObject({ code: 16, reason: "UNAUTHENTICATED" });
  });
});

describe("calls on their way do nothing more", () => {
  const stream = (name: string, { appId }: App, { userId }: Person) =>
    name === "application" ? streamOf(apps, appId) : streamOf(user, userId);
  few().each([
    ["consent", revoke],
    [
      "application",
      ({ appId }: App) => {
        const path = `${projects}/${parties.server.project}/apps/${appId}/_deactivate`;
        return parties.call("POST", path, {});
      },
    ],
  ] as const)("once their %s has ended", async (name, end) => {
    const [app, owner] = [await parties.givenApp(jwt), await givenOwner(parties)];
    const { access_token } = await allowed(parties.browser(), app, owner);
    const before = await parties.server.head();
    const call = () => callWith(parties, access_token, projects, { name: v7() });
    const earlier = Array.from({ length: 10 }, call);
    const ending = end(app, owner);
    const answers = await Promise.all([...earlier, ...Array.from({ length: 30 }, call)]);
    await ending;
    const events = await parties.server.events(before);
    const at = events.findIndex((event) => event.stream === stream(name, app, owner));
    expect(at).toBeGreaterThanOrEqual(0);
    expect(events.slice(at + 1)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(at);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(40 - at);
  });
});

test("what an application makes for the person is void when that one gains something", async () => {
  const { call, server } = parties;
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const members = "/management/v1/orgs/me/members";
  await call("POST", members, { userId: person.userId, roles: ["ORG_OWNER"] });
  const { access_token } = await allowed(parties.browser(), app, person);
  const robot = await call("POST", "/management/v1/users/machine", { userName: v7(), name: "R" });
  const pat = async (userId: string) => {
    const path = `/management/v1/users/${userId}/pats`;
    return String((await callWith(parties, access_token, path)).answer.token);
  };
  const [mine, others] = [await pat(person.userId), await pat(String(robot.userId))];
  const made = (await server.events()).filter(({ type }) => type === "user.token.added").slice(-2);
  for (const { actor, payload } of made) {
    expect(actor).toBe(person.userId);
    expect(JSON.parse(payload)).toMatchObject({
      ...{ through: app.clientId, via: [`client-${app.clientId}`, server.admin.userId] },
    });
  }
  expect([await read(mine), await read(others)]).toEqual([200, 403]);
  // Within what the person holds, it is as good as made by the person.
  await call("POST", members, { userId: robot.userId, roles: ["ORG_OWNER"] });
  const raised = await grant(parties, person, ["IAM_OWNER"]);
  expect(raised.voided).toEqual([expect.stringMatching(/^token:/)]);
  const tokens = [mine, access_token, others];
  expect(await Promise.all(tokens.map(read))).toEqual([401, 401, 200]);
});

test("a call that changes something is done once for its idempotency key", async () => {
  const [app, owner] = [await parties.givenApp(jwt), await givenOwner(parties)];
  const browser = parties.browser();
  const { access_token } = await allowed(browser, app, owner);
  const body = JSON.stringify({ name: v7() });
  const given = { "content-type": "application/json", "idempotency-key": v7() };
  const send = (token = access_token) => {
    const headers = { ...given, authorization: `Bearer ${token}` };
    return fetch(parties.server.url + projects, { method: "POST", headers, body });
  };
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(await second.json()).toEqual(await first.json());
  // What was answered is sealed with the token, so another one does not open it.
  const again = await ask(browser, app, undefined);
  const other = await fetchTokens(app, again, browser.page.url);
  const third = await send(other.access_token);
  expect(await third.json()).toMatchObject({
    details: [{ reason: "IDEMPOTENCY_KEY_REUSED" }],
  });
});

inFull("rows made anew from the log are the same, no matter who did it", async () => {
  const [app, owner] = [await parties.givenApp(), await givenOwner(parties)];
  const { access_token } = await allowed(parties.browser(), app, owner);
  const { answer } = await callWith(parties, access_token, projects, { name: v7() });
  const store = await parties.server.openLog();
  const stream = `project-${String(answer.id)}`;
  const [kept] = await store.load([stream]);
  expect(JSON.parse(String(kept?.state))).not.toHaveProperty("through");
  const events = await store.readStream(stream, 0, 10);
  expect(projector.project(events)).toMatchObject({ state: kept?.state });
  await store.close();
});
