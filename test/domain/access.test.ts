import { describe, expect, test } from "@jest/globals";
import { type Access, handsIn, isGood, type PersonAccess } from "../../src/domain/access.ts";
import type { AppState } from "../../src/domain/app/app.ts";
import type { Ending } from "../../src/domain/ending.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import {
  findConsent,
  findConsentAt,
  giveConsent,
  revokeConsent,
  siteOf,
} from "../../src/domain/user/login/consent.ts";
import { beginSession } from "../../src/domain/user/login/login.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import type { LoginEvent } from "../../src/domain/user/state/login-event.ts";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { person } from "./user/people.ts";
import { home, inactive, inHome, now, userWith } from "./user/users.ts";

const ada = "ada";

/** A user after further events that it causes. */
function evolved(state: UserState, ...events: readonly UserEvent[]): UserState {
  const end = events.reduce<UserState | undefined>(
    (before, event) => user.evolve(before, { ...event, owner: home, actor: ada, timeMs: now }),
    state,
  );
  if (end === undefined) throw new Error("the user is gone");
  return end;
}

const begun = (sessionId: string, via?: readonly string[]): LoginEvent => ({
  type: "user.human.session.begun",
  payload: {
    ...{ sessionId, clientId: "client", factors: ["password"], browser: "b" },
    ...(via ? { via } : {}),
  },
});
const given = (clientId: string, consentId = "consent"): LoginEvent => ({
  type: "user.human.consent.given",
  payload: { clientId, consentId },
});

const logged = evolved(person(), begun("session"));
const consenting = evolved(logged, given("client"));

const access: PersonAccess = {
  ...{ kind: "application", expiresMs: now + 1, clientId: "client", appId: "a" },
  ...{ projectId: "p", consentId: "consent", sessionId: "session", needsSession: true },
};
const project: ProjectState = {
  ...{ name: "P", organization: home, projectRoleAssertion: false, projectRoleCheck: false },
  ...{ hasProjectCheck: false, privateLabelingSetting: "UNSPECIFIED" },
};
const app = {
  projectId: "p",
  name: "A",
  config: { kind: "oidc", clientId: "client" },
} as AppState;
const all = { caller: consenting, app, project };

/** When the session has ended. */
const endMs = now + loginLimits.sessionMs;

describe("an access token of an application", () => {
  const ended = { type: "user.human.session.ended", payload: { sessionId: "session" } } as const;
  const revoked = { type: "user.human.consent.revoked", payload: { clientId: "client" } } as const;
  const elsewhere = { ...project, organization: "org-b", hasProjectCheck: true };

  test.each<readonly [string, Partial<PersonAccess>, Partial<typeof all>, boolean]>([
    ["and all that it came from is there", {}, {}, true],
    ["is over", { expiresMs: now }, {}, false],
    ["and the person is out of use", {}, { caller: inactive(consenting) }, false],
    ["and the person is gone", {}, { caller: undefined as never }, false],
    ["and the session has ended", {}, { caller: evolved(consenting, ended) }, false],
    ["that outlasts it", { needsSession: false }, { caller: evolved(consenting, ended) }, true],
    ["and nobody consented", {}, { caller: logged }, false],
    ["and the consent was revoked", {}, { caller: evolved(consenting, revoked) }, false],
    ["and the consent is another", { consentId: "other" }, {}, false],
    ["and the consent is another's", { clientId: "other" }, {}, false],
    ["and the application is out of use", {}, { app: { ...app, isInactive: true } }, false],
    ["and the application is gone", {}, { app: undefined as never }, false],
    ["and the project is another", { projectId: "q" }, {}, false],
    ["and the project is out of use", {}, { project: { ...project, isInactive: true } }, false],
    ["and the project is gone", {}, { project: undefined as never }, false],
    ["and the project is for others", {}, { project: elsewhere }, false],
    [
      "and the project is for nobody",
      {},
      { project: { ...project, projectRoleCheck: true } },
      false,
    ],
  ])("%s", (_name, token, states, expected) => {
    expect(isGood({ ...access, ...token }, { ...all, ...states }, now)).toBe(expected);
  });

  describe("of a person whose organization was granted the project", () => {
    const granted = { projectId: "p", grantedOrgId: home, roleIds: ["r"], organization: "org-b" };
    const role = { key: "r", projectId: "p", displayName: "r", group: "", organization: "org-b" };
    const grant = {
      ...({ userId: ada, projectId: "p", roleIds: ["r", "s"], userType: "HUMAN" } as const),
      ...{ organization: home, projectGrantId: "g" },
    };
    const by = { ...access, projectGrantId: "g", held: { grantId: "x", roleId: "r" } };
    const asking = { ...elsewhere, projectRoleCheck: true };
    const states = { ...all, project: asking, projectGrant: granted, grant, role };

    test.each<readonly [string, object, object, boolean]>([
      ["is good", {}, {}, true],
      ["is not without the project grant", {}, { projectGrant: undefined }, false],
      ["nor where that is inactive", {}, { projectGrant: { ...granted, isInactive: true } }, false],
      [
        "nor where that has the role no more",
        {},
        { projectGrant: { ...granted, roleIds: ["s"] } },
        false,
      ],
      [
        "nor where that is to another",
        {},
        { projectGrant: { ...granted, grantedOrgId: "c" } },
        false,
      ],
      ["nor by one that was made again", { projectGrantId: "h" }, {}, false],
      ["nor without the role", { held: undefined }, {}, false],
    ])("%s", (_name, token, more, expected) => {
      expect(isGood({ ...by, ...token }, { ...states, ...more }, now)).toBe(expected);
    });
  });

  test("is over with its session, unless it outlasts that", () => {
    const goodAt = (nowMs: number, needsSession: boolean) =>
      isGood({ ...access, expiresMs: nowMs + 1, needsSession }, all, nowMs);
    expect([goodAt(endMs - 1, true), goodAt(endMs, true)]).toEqual([true, false]);
    expect(goodAt(endMs, false)).toBe(true);
  });

  test("is for no client of another kind", () => {
    const config = { kind: "api", clientId: "client", authMethod: "BASIC" } as const;
    expect(isGood(access, { ...all, app: { ...app, config } }, now)).toBe(false);
  });

  test("has the hand of the application in it, and of who made what the person showed", () => {
    expect(handsIn(access, ada, consenting, now)).toEqual({ via: ["client-client"] });
    const planted = evolved(person(), begun("session", ["admin"]), given("client"));
    expect(handsIn(access, ada, planted, now)).toEqual({ via: ["client-client", "admin"] });
  });
});

describe("an access token of a machine", () => {
  const proof = { clientSecretHash: "hash" };
  const token: Access = { kind: "machine", expiresMs: now + 1, proof };
  const byKey: Access = { ...token, proof: { keyId: "k" } };
  const machine = userWith({ clientSecret: { clientSecretHash: "hash", maker: "admin" } });
  const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
  const signer = (ending: Ending = {}) =>
    userWith({ keys: { k: { publicKey, maker: "other", addedMs: now, ...ending } } });
  const another = userWith({ clientSecret: { clientSecretHash: "other", maker: "admin" } });

  test.each([
    ["is good", token, machine, true],
    ["is over", { ...token, expiresMs: now }, machine, false],
    ["is of another secret", token, another, false],
    ["is of no secret", { ...token, proof: { clientSecretHash: "" } }, userWith(), false],
    ["is of a key", byKey, signer(), true],
    ["is of a key that goes on", byKey, signer({ expirationMs: now + 1 }), true],
    ["is of a key that has ended", byKey, signer({ expirationMs: now }), false],
    ["is of another key", { ...byKey, proof: { keyId: "l" } }, signer(), false],
    ["is of what is no key", { ...byKey, proof: { keyId: "toString" } }, signer(), false],
    ["is of a key, and there is a secret", byKey, machine, false],
    ["is of a secret, and there is a key", token, signer(), false],
    ["is of a key of a machine out of use", byKey, inactive(signer()), false],
    ["is of a machine out of use", token, inactive(machine), false],
    ["is of a person", token, consenting, false],
    ["is of nobody", token, undefined, false],
  ])("%s", (_name, given, caller, expected) => {
    expect(isGood(given, { caller }, now)).toBe(expected);
  });

  test("has the hand of who made the secret or the key in it", () => {
    const both = { ...machine, ...signer() };
    expect(handsIn(token, "machine", both, now)).toEqual({ via: ["admin"] });
    expect(handsIn(byKey, "machine", both, now)).toEqual({ via: ["other"] });
    expect(handsIn(byKey, "machine", machine, now)).toEqual({});
  });
});

describe("a consent", () => {
  const [site, consentId] = ["https://app.example", "new"];
  const input = { userId: ada, sessionId: "session", clientId: "client", consentId, site };
  const { events } = giveConsent(logged, input, now);

  test("is given in a session, and stands until it is revoked", () => {
    const payload = { clientId: "client", consentId, sites: [site] };
    const event: UserEvent = { type: "user.human.consent.given", payload };
    expect(events.user).toEqual([event]);
    expect(giveConsent(evolved(logged, event), input, now)).toEqual({ events: {} });
    expect(revokeConsent(consenting, input).events.user).toHaveLength(1);
    expect(revokeConsent(logged, input)).toEqual({ events: {} });
    const refused = { events: {}, rejection: { reason: "UNAUTHENTICATED" } };
    expect(giveConsent(person(), input, now)).toMatchObject(refused);
    expect(giveConsent(inactive(logged), input, now)).toMatchObject(refused);
    expect(giveConsent(undefined, input, now)).toMatchObject(refused);
    expect(giveConsent(logged, input, endMs - 1).events.user).toHaveLength(1);
    expect(giveConsent(logged, input, endMs)).toMatchObject(refused);
  });

  test("has the hand of who has one in the session, also when it stands already", () => {
    const planted = evolved(consenting, begun("planted", ["admin"]));
    const payload = { clientId: "client", consentId: "consent", sites: [site], via: ["admin"] };
    const again = giveConsent(planted, { ...input, sessionId: "planted" }, now);
    expect(again.events.user).toEqual([{ type: "user.human.consent.given", payload }]);
    const after = evolved(planted, ...(again.events.user ?? []));
    expect(giveConsent(after, input, now)).toEqual({ events: {} });
    expect(findConsent(after, "client")).toEqual(payload);
  });

  test("is for the sites of which the person was told, and none of before says one", () => {
    const at = (state: UserState, one: string) =>
      findConsentAt(state, { clientId: "client", site: one })?.consentId;
    expect(at(consenting, site)).toBeUndefined();
    const give = (state: UserState, one: string) =>
      evolved(state, ...(giveConsent(state, { ...input, site: one }, now).events.user ?? []));
    const [first, other] = [give(consenting, site), "https://other.example"];
    expect([at(first, site), at(first, other)]).toEqual(["consent", undefined]);
    const both = give(first, other);
    expect([at(both, site), at(both, other)]).toEqual(["consent", "consent"]);
    const names = Array.from({ length: loginLimits.sites + 1 }, (_, i) => `https://${i}.example`);
    const full = names.slice(0, -1).reduce(give, logged);
    expect([at(full, names[0] ?? ""), at(full, names[1] ?? "")]).toEqual(["new", "new"]);
    const past = names.reduce(give, logged);
    expect([at(past, names[0] ?? ""), at(past, names[1] ?? "")]).toEqual([undefined, "new"]);
  });

  test.each([
    ["https://app.example/callback?a=b", "https://app.example"],
    ["https://app.example:8443/", "https://app.example:8443"],
    ["http://127.0.0.1:49152/callback", "http://127.0.0.1"],
    ["http://[::1]:49152/callback", "http://[::1]"],
    ["com.example.app:/callback", "com.example.app://"],
    [undefined, "device"],
  ])("for %s is for the site %s", (uri, expected) => {
    expect(siteOf(uri)).toBe(expected);
  });

  test(`is one of at most ${loginLimits.consents} of a person`, () => {
    const more = Array.from({ length: loginLimits.consents + 1 }, (_, i) => given(`client ${i}`));
    const full = evolved(logged, ...more.slice(0, -1));
    expect(findConsent(full, "client 0")).toBeDefined();
    const past = evolved(logged, ...more);
    expect([findConsent(past, "client 0"), findConsent(past, "client 1")]).toEqual([
      undefined,
      expect.anything(),
    ]);
  });

  test.each<readonly [string, UserEvent]>([
    [
      "the person is given a role",
      { type: "user.membership.granted", payload: { scope: inHome, roles: ["ORG_OWNER"] } },
    ],
    [
      "the person has another password",
      { type: "user.human.password.changed", payload: { passwordHash: "h" } },
    ],
  ])("ends when %s", (_name, event) => {
    expect(findConsent(evolved(consenting, event), "client")).toBeUndefined();
  });
});

describe("a session that began by what others made", () => {
  const raised: UserEvent = {
    type: "user.membership.granted",
    payload: { scope: inHome, roles: ["ORG_OWNER"] },
  };
  const session = {
    ...{ userId: ada, sessionId: "s", clientId: "client", browser: "b" },
    factors: ["password"] as const,
  };

  test("says so, and ends when the person is given a role", () => {
    const invited = person({ passwordHash: "h", passwordMade: { maker: "admin", via: ["boss"] } });
    const { user: planted = [] } = beginSession(invited, session, now).events;
    expect(planted[0]?.payload).toMatchObject({ via: ["admin", "boss"] });
    const own = person({ passwordHash: "h", passwordMade: { maker: ada } });
    const { user: mine = [] } = beginSession(own, session, now).events;
    expect(mine[0]?.payload).not.toHaveProperty("via");
    const sessions = (state: UserState) => state.human?.login?.sessions.length;
    expect(sessions(evolved(invited, ...planted, raised))).toBe(0);
    expect(sessions(evolved(own, ...mine, raised))).toBe(1);
  });

  test("is one for good, whatever is shown in it later", () => {
    const planted = evolved(person(), begun("s", ["admin"]));
    const { user: again = [] } = beginSession(planted, session, now).events;
    expect(again[0]?.payload).toMatchObject({ via: ["admin"] });
  });
});
