import { create, type DescMethod, type DescMethodUnary, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { loginCookie } from "../../src/provider/base/site.ts";
import { looksLikeJws } from "../../src/provider/token/jws.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { methods } from "../harness/contract.ts";
import { isFull, turnOf } from "../harness/extent.ts";
import { describeFew, inFull } from "../harness/in-full.ts";
import { type Browser, heading, ofOwnPage } from "./browser.ts";
import {
  allowed,
  api,
  ask,
  callWith,
  givenOwner,
  grant,
  jwt,
  offline,
  question,
} from "./consenting.ts";
import {
  type App,
  callback,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

let parties: Parties;
let clients: readonly TestClient[];

beforeAll(async () => {
  parties = await startParties();
  clients = createClients(parties.server.url);
});
afterAll(() => {
  for (const client of clients) client.close();
  return parties.close();
});

/** Reads the projects: what nobody may without a token. */
const readProjects = async (token: string) =>
  (await callWith(parties, token, "/management/v1/projects/_search")).status;
const addProject = (token: string) =>
  callWith(parties, token, "/management/v1/projects", { name: v7() });

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === "unary";
const isOpen = (method: DescMethod) => getOption(method, access).permission === "public";

describe("CVE-2026-79652: what an application got without the scope of the API", () => {
  test("opens no method of any service, no matter who logged in, by any protocol", async () => {
    const [app, other] = [await parties.givenApp(), await parties.givenApp(jwt)];
    const owner = await givenOwner(parties);
    const browser = parties.browser();
    const scope = "openid profile email offline_access";
    const got = [
      await logIn(browser, app, owner, { scope }),
      await logIn(parties.browser(), other, owner, { scope }),
    ];
    const tokens = got.flatMap(({ access_token, id_token, refresh_token }) => [
      access_token,
      String(id_token),
      String(refresh_token),
    ]);
    expect(tokens.map(looksLikeJws)).toEqual([false, true, false, true, true, false]);
    const cookies = [...browser.cookies.values()].map(({ value }) => value);
    const wrong: string[] = [];
    const guarded = methods.filter(isUnary).filter((one) => !isOpen(one));
    expect(guarded.length).toBeGreaterThan(50);
    for (const [index, method] of guarded.entries()) {
      // Each method with each token, in short with one; and by each protocol in turn.
      const shown = [...[...tokens, ...cookies].entries()];
      for (const [turn, token] of isFull ? shown : [turnOf(shown, index)]) {
        const client = clients[(index + turn) % clients.length]!;
        const authorization = `Bearer ${token}`;
        const answer = await client.call(method, create(method.input), { authorization });
        const isRefused = !answer.ok && answer.code === 16 && answer.reason === "UNAUTHENTICATED";
        if (!isRefused) wrong.push(`${client.name} ${method.name} ${turn}`);
      }
    }
    expect(wrong).toEqual([]);
    for (const token of tokens) expect(await readProjects(token)).toBe(401);
  });
});

describe("CVE-2026-79652: the person is asked", () => {
  test("once for each application, with its name and what it may do", async () => {
    const name = `Calendar of ACME wants to see your name. This page ${v7()}`;
    const [app, other] = [await parties.givenApp({ name }), await parties.givenApp()];
    const person = await parties.givenPerson();
    const browser = parties.browser();
    const begun = await ask(browser, app, person);
    expect(browser.page.text).toContain(question);
    for (const told of [
      `<p><strong><bdi>${name}</bdi></strong> by <strong><bdi>Default</bdi></strong> wants to act`,
      ...["Ada Lovelace", new URL(callback).host, "know who you are", "everything that you can"],
    ]) {
      expect(browser.page.text).toContain(told);
    }
    const { access_token } = await fetchTokens(app, begun, (await browser.send({}, "allow")).url);
    expect(await readProjects(access_token)).toBe(403);

    const again = await ask(browser, app, undefined);
    const second = await fetchTokens(app, again, browser.page.url);
    expect(await readProjects(second.access_token)).toBe(403);
    // What the same login gave without the scope opens nothing, though the consent stands.
    const plain = await ask(browser, app, undefined, { scope: "openid" });
    const without = await fetchTokens(app, plain, browser.page.url);
    expect(await readProjects(without.access_token)).toBe(401);
    await ask(browser, other, undefined);
    expect(browser.page.text).toContain(question);
    expect(browser.page.text).toContain((await nameOf(other)).name);
    expect(await parties.typesOf(person)).toEqual([
      "user.human.session.begun",
      "user.human.consent.given",
    ]);
  });

  test("again after the consent was withdrawn, which ends all tokens that it gave", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    const first = await allowed(browser, app, person, offline);
    expect(await readProjects(first.access_token)).toBe(403);
    // What makes access tokens, or says who logged in, is none.
    for (const other of [first.refresh_token, first.id_token]) {
      expect(await readProjects(String(other))).toBe(401);
    }
    // Who asks to act in absence asks each time; the answer may be another one.
    await ask(browser, app, undefined, offline);
    expect(browser.page.text).toContain("while you’re away");
    const denied = await browser.send({}, "deny");
    expect(new URL(denied.url).searchParams.get("error")).toBe("access_denied");
    expect(await readProjects(first.access_token)).toBe(401);

    const begun = await ask(browser, app, undefined);
    expect(browser.page.text).toContain(question);
    const { access_token } = await fetchTokens(app, begun, (await browser.send({}, "allow")).url);
    expect(await readProjects(access_token)).toBe(403);
    // What came from the consent that ended does not live again by this one.
    expect(await readProjects(first.access_token)).toBe(401);
    const old = await oidc.refreshTokenGrant(app.config, String(first.refresh_token));
    expect(await readProjects(old.access_token)).toBe(401);
    expect((await parties.typesOf(person)).filter((type) => type.includes("consent"))).toEqual([
      "user.human.consent.given",
      "user.human.consent.revoked",
      "user.human.consent.given",
    ]);
  });

  test("and nobody else answers: not by prompt=none, another step or another browser", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    await logIn(browser, app, person);
    await ask(browser, app, undefined, { ...api, prompt: "none" });
    expect(new URL(browser.page.url).searchParams.get("error")).toBe("consent_required");
    await ask(browser, app, undefined);
    const { url, text } = browser.page;
    const uid = String(url.split("/").at(-1));
    const here = loginCookie({ publicUrl: () => parties.server.url }, uid);
    // Also who knows the address of the page, and so the cookies that are for it alone.
    for (const cookie of ["", `iam.interaction=${uid}; ${here}=1`]) {
      const body = new URLSearchParams({ step: "allow" });
      const headers = { ...ofOwnPage, cookie };
      const init = { method: "POST", redirect: "manual", headers, body } as const;
      expect((await fetch(url, init)).status).toBe(400);
    }
    const proceeding = text.replaceAll('value="allow"', 'value="proceed"');
    Object.assign(browser.page, { text: proceeding });
    expect((await browser.send({}, "proceed")).text).toContain(question);
    await browser.send({}, "other");
    expect(browser.page.text).toContain("<h1>Log in</h1>");
    expect(await parties.typesOf(person)).toEqual(["user.human.session.begun"]);
  });

  inFull("each time that an application wants to act in absence, or asks to ask", async () => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    await allowed(browser, app, person);
    for (const [who, prompt] of [
      [parties.browser()],
      [parties.browser(), "consent"],
      [browser, "login consent"],
      [browser, "select_account consent"],
    ] as const) {
      const isIn = prompt === "select_account consent";
      await ask(who, app, isIn ? undefined : person, { ...offline, ...(prompt && { prompt }) });
      if (isIn) await who.send({}, "proceed");
      expect([prompt, heading(who.page)]).toEqual([prompt, "Allow access"]);
      expect(who.page.text).toContain("while you’re away");
      expect((await who.send({}, "allow")).url).toContain("code=");
    }
  });

  inFull("who logs in as somebody else is asked, too", async () => {
    const [app, first] = [await parties.givenApp(), await parties.givenPerson()];
    const second = await parties.givenPerson();
    const browser = parties.browser();
    await allowed(browser, app, first);
    await ask(browser, app, undefined, { ...api, prompt: "login" });
    await browser.send({ ...second }, "password");
    expect(browser.page.text).toContain(question);
    await browser.send({}, "allow");
    expect(await parties.typesOf(second)).toContain("user.human.consent.given");
  });
});

const nameOf = async ({ appId }: App) => {
  const path = `/management/v1/projects/${parties.server.project}/apps/${appId}`;
  const { app } = await parties.call("GET", path);
  return app as { readonly name: string };
};

const revokeToken = ({ app, tokens }: { app: App; tokens: { access_token: string } }) =>
  oidc.tokenRevocation(app.config, tokens.access_token);

describeFew().each([
  ["opaque", {}],
  ["JWT", jwt],
])("CVE-2026-79652: with consent, by a token that is %s,", (kind, given) => {
  test("the application may do what the person may, which events say", async () => {
    const [app, owner] = [await parties.givenApp(given), await givenOwner(parties)];
    const { access_token } = await allowed(parties.browser(), app, owner);
    expect(looksLikeJws(access_token)).toBe(kind === "JWT");
    for (const client of clients) {
      const request = create(ManagementService.method.addProject.input, { name: v7() });
      const headers = { authorization: `Bearer ${access_token}` };
      const answer = await client.call(ManagementService.method.addProject, request, headers);
      expect([client.name, answer.ok]).toEqual([client.name, true]);
    }
    const [event] = (await parties.server.events()).slice(-1);
    expect(event).toMatchObject({ type: "project.added", actor: owner.userId });
    expect(JSON.parse(String(event?.payload))).toMatchObject({ through: app.clientId });
    const own = await addProject(parties.server.admin.token);
    expect(own.status).toBe(200);
    const [other] = (await parties.server.events()).slice(-1);
    expect(JSON.parse(String(other?.payload))).not.toHaveProperty("through");
  });

  test("no token goes on when what it came from has ended", async () => {
    const { server, call } = parties;
    const apps = ({ appId }: App, project = server.project) =>
      `/management/v1/projects/${project}/apps/${appId}`;
    type End = (world: {
      readonly app: App;
      readonly owner: Person;
      readonly browser: Browser;
      readonly project: string;
      readonly tokens: Awaited<ReturnType<typeof fetchTokens>>;
    }) => Promise<unknown>;
    const users = "/management/v1/users";
    const ends: { readonly [name: string]: End } = {
      "person out of use": ({ owner }) => call("POST", `${users}/${owner.userId}/_deactivate`, {}),
      "person gone": ({ owner }) => call("DELETE", `${users}/${owner.userId}`),
      "application out of use": ({ app, project }) =>
        call("POST", `${apps(app, project)}/_deactivate`, {}),
      "application gone": ({ app, project }) => call("DELETE", apps(app, project)),
      "project out of use": ({ project }) =>
        call("POST", `/management/v1/projects/${project}/_deactivate`, {}),
      "project gone": ({ project }) => call("DELETE", `/management/v1/projects/${project}`),
      "session ended": async ({ app, browser, tokens }) => {
        const hint = { id_token_hint: String(tokens.id_token) };
        await browser.open(oidc.buildEndSessionUrl(app.config, hint).href);
        await browser.send({});
      },
      "token revoked": revokeToken,
      "another role": ({ owner }) => grant(parties, owner, ["IAM_OWNER"]),
    };
    const left: string[] = [];
    for (const [name, end] of Object.entries(ends)) {
      const project = String((await call("POST", "/management/v1/projects", { name: v7() })).id);
      const app = await parties.givenApp(given, project);
      const owner = await parties.givenPerson();
      if (name !== "another role") await grant(parties, owner, ["IAM_OWNER"]);
      const browser = parties.browser();
      const tokens = await allowed(browser, app, owner);
      const before = await readProjects(tokens.access_token);
      expect([name, before]).toEqual([name, name === "another role" ? 403 : 200]);
      await end({ app, owner, browser, project, tokens });
      if ((await readProjects(tokens.access_token)) !== 401) left.push(name);
      if ((await addProject(tokens.access_token)).status !== 401) left.push(name);
    }
    expect(left).toEqual([]);
  });
});

test("a token that is over opens nothing, and an hour is the longest", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const { access_token } = await allowed(parties.browser(), app, person);
  parties.clock.nowMs += 59 * 60_000;
  expect(await readProjects(access_token)).toBe(403);
  parties.clock.nowMs += 60_000;
  expect(await readProjects(access_token)).toBe(401);
});
