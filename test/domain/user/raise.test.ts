import { describe, expect, test } from "@jest/globals";
import {
  makerName,
  makersOf,
  type Raise,
  voidCredentials,
  voidedBy,
} from "../../../src/domain/user/raise.ts";
import { credentialsOf } from "../../../src/domain/user/state/credential.ts";
import { type Credential, nameCredential } from "../../../src/domain/user/state/credential-name.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import type { HumanState } from "../../../src/domain/user/state/login-state.ts";
import { handOf, type Made, operator } from "../../../src/domain/user/state/made.ts";
import { type UserState, user } from "../../../src/domain/user/state/user.ts";
import { person } from "./people.ts";
import {
  holderOf,
  home,
  inactive,
  inHome,
  made,
  maker,
  manager,
  now,
  orgOwner,
  owner,
  userWith,
} from "./users.ts";

/** What of what others have made stays good when its holder is raised. */

const raise = {
  userId: "u",
  scope: inHome,
  roles: ["ORG_OWNER"],
  initializationCode: "fresh",
} as const satisfies Raise;

const code = { code: "sealed", expirationMs: now + 1, failures: 0, maker };
const link = { codeId: "c", codeHash: "h", expirationMs: now + 1, failures: 0, maker };
const passkey = {
  ...{ credentialId: "k", publicKey: "cose", counter: 0, transports: [], name: "", addedMs: 0 },
  maker,
};
const publicKey = { kty: "RSA", n: "n", e: "AQAB" } as const;
const account = { idpId: "i", externalUserId: "e", displayName: "", maker };
const password = { passwordHash: "hash", passwordMade: { maker } };

type OfPeople = Exclude<Credential["kind"], "token" | "client-secret" | "key" | "email">;

/** Each kind of credential that only people have: what names one, and a person who has it. */
const ofPeople: {
  readonly [Kind in OfPeople]: readonly [Omit<Credential, "kind">, Partial<HumanState>];
} = {
  password: [{}, password],
  "initialization-code": [{}, { initialization: code }],
  "passkey-link": [{ id: "c" }, { passwordless: [link] }],
  passkey: [{ id: "k" }, { passkeys: [passkey] }],
  "external-account": [{ id: "e", idpId: "i" }, { externalIDPs: [account] }],
};
const kinds = Object.entries(ofPeople).map(
  ([kind, [of, human]]) => [{ kind: kind as OfPeople, ...of }, human] as const,
);
const everything: UserState = {
  ...person(Object.assign({ isEmailVerified: true }, ...kinds.map(([, human]) => human))),
  tokens: { t: { tokenHash: "hash", ...made } },
  clientSecret: { clientSecretHash: "hash", maker },
  keys: { k: { publicKey, ...made } },
};
const key: Credential = { kind: "key", id: "k" };
const secret: Credential = { kind: "client-secret" };
const token: Credential = { kind: "token", id: "t" };
const email: Credential = { kind: "email" };
const robot = userWith({ tokens: { t: { tokenHash: "hash", ...made } } });

const mail = {
  type: "user.human.initialization.code.added",
  payload: { code: "fresh" },
};
const voiding = (...voided: readonly Credential[]) => ({
  type: "user.credentials.voided",
  payload: { voided },
});

function decide(state: UserState | undefined, by?: UserState, more: Partial<Raise> = {}) {
  const states = { user: state, caller: owner, [makerName(maker)]: by };
  const { events, rejection } = voidCredentials(states, { ...raise, ...more }, now);
  return rejection?.reason ?? events.user ?? [];
}

const madeBy = (state: UserState, by: Made): UserState => ({
  ...state,
  tokens: { t: { tokenHash: "hash", addedMs: now, ...by } },
});
const byApp = (state: UserState, maker: string) =>
  madeBy(state, { maker, via: [handOf("client")] });

describe("voidCredentials", () => {
  test.each(kinds)("voids %j of a lesser maker, and sends a mail", (credential, human) => {
    const state = person({ isEmailVerified: true, ...human });
    expect(decide(state, manager)).toEqual([voiding(credential), mail]);
    expect(decide(state, orgOwner)).toEqual([]);
  });

  test("voids all kinds at once, and names those who made them", () => {
    const all = [token, secret, key, ...kinds.map(([credential]) => credential)];
    expect(decide(everything, manager)).toEqual([voiding(...all), mail]);
    expect(makersOf(everything, "u", now)).toEqual([maker]);
    expect(makersOf(everything, maker, now)).toEqual(["u"]);
    expect(all.map(nameCredential)).toEqual(voidedBy([voiding(...all)]));
    expect(voidedBy([voiding(...all), mail])).toEqual([
      "token:t",
      "client-secret",
      "key:k",
      "password",
      "initialization-code",
      "passkey-link:c",
      "passkey:k",
      "external-account:i:e",
    ]);
  });

  test.each<
    readonly [string, UserState | undefined, UserState | undefined, Partial<Raise>, boolean]
  >([
    ["whose maker is gone", robot, undefined, {}, true],
    ["whose maker is inactive", robot, inactive(orgOwner), {}, true],
    ["whose maker holds a part", robot, manager, {}, true],
    [
      "whose maker holds it elsewhere",
      robot,
      holderOf("ORG_OWNER", { ...inHome, organization: "org-b" }),
      {},
      true,
    ],
    ["whose maker holds it", robot, orgOwner, {}, false],
    ["whose maker holds it, by an application", byApp(robot, maker), orgOwner, {}, false],
    ["whose maker does not, by an application", byApp(robot, maker), manager, {}, true],
    ["by an application for the user", byApp(robot, "u"), undefined, {}, true],
    ["whose maker is the user", madeBy(robot, { maker: "u" }), undefined, {}, false],
    ["whose maker holds it from above", robot, owner, {}, false],
    [
      "whose maker holds it, and not what comes too",
      robot,
      manager,
      { roles: ["ORG_USER_MANAGER", "ORG_OWNER"] },
      true,
    ],
    ["whose maker is the user", robot, undefined, { userId: maker }, false],
    [
      "of who holds it already",
      { ...robot, memberships: orgOwner.memberships },
      manager,
      {},
      false,
    ],
    [
      "of who holds it from above",
      { ...robot, memberships: owner.memberships },
      manager,
      {},
      false,
    ],
  ])("of a token %s", (_, state, by, more, isVoid) => {
    expect(decide(state, by, more)).toEqual(isVoid ? [voiding(token)] : []);
  });

  test("voids a client secret of a lesser maker", () => {
    const state = userWith({ clientSecret: { clientSecretHash: "hash", maker } });
    expect(decide(state, manager)).toEqual([voiding(secret)]);
    expect(decide(state, orgOwner)).toEqual([]);
    expect(makersOf(state, "u", now)).toEqual([maker]);
  });

  test("leaves a token that was given on the machine, and what is made with it", () => {
    const payload = { tokenId: "t", tokenHash: "hash" };
    const envelope = { owner: home, actor: operator, timeMs: now };
    const event = { type: "user.token.recovered", payload, ...envelope } as const;
    const state = user.evolve(userWith(), event);
    expect(state?.tokens).toEqual({ t: { tokenHash: "hash", maker: operator, addedMs: now } });
    expect(makersOf(state, "u", now)).toEqual([]);
    expect(decide(state, undefined)).toEqual([]);
  });

  test.each<readonly [string, UserState]>([
    ["a token", userWith({ tokens: { t: { tokenHash: "h", expirationMs: now, ...made } } })],
    ["a code", person({ initialization: { ...code, expirationMs: now } })],
    ["a code, by misses,", person({ initialization: { ...code, failures: 5 } })],
    ["a link", person({ passwordless: [{ ...link, expirationMs: now }] })],
    ["a link, by misses,", person({ passwordless: [{ ...link, failures: 5 }] })],
  ])("leaves %s that has ended", (_, state) => {
    expect(decide(state, manager)).toEqual([]);
    expect(credentialsOf(state, now).filter(({ kind }) => kind !== "email")).toEqual([]);
  });

  test.each<
    readonly [string, Partial<HumanState>, UserState["tokens"], readonly object[] | string]
  >([
    ["nothing is left", password, {}, "MEMBER_LOCKED_OUT"],
    [
      "only what has ended is left",
      password,
      { s: { tokenHash: "s", expirationMs: now, ...made, maker: "u" } },
      "MEMBER_LOCKED_OUT",
    ],
    [
      "something of their own is left, and no mail goes where nobody was seen",
      password,
      { s: { tokenHash: "s", ...made, maker: "u" } },
      [voiding({ kind: "password" })],
    ],
    [
      "a code of who holds enough is under way there",
      { ...password, initialization: { ...code, maker: "u" } },
      {},
      [voiding({ kind: "password" }), mail],
    ],
  ])("of persons whose address is not verified: %s", (_, human, tokens, expected) => {
    expect(decide({ ...person(human), tokens }, manager)).toEqual(expected);
  });

  test.each<readonly [string, string, readonly string[], boolean]>([
    ["who holds it, with a token of theirs", "u", [], false],
    ["who holds it, with one that a lesser user had made", "u", [maker], true],
    ["who holds it, with one that came from a lesser user in the end", "u", ["u", maker], true],
    ["a lesser user, with one that somebody made who holds it", maker, ["u"], true],
  ])("of a token that was made by %s", (_, by, via, isVoid) => {
    const held = { tokenHash: "hash", addedMs: now, maker: by, via };
    expect(decide(userWith({ tokens: { t: held } }), manager)).toEqual(
      isVoid ? [voiding(token)] : [],
    );
  });

  test("of nobody", () => {
    expect(decide(undefined)).toEqual([]);
    expect(makersOf(undefined, "u", now)).toEqual([]);
  });
});

describe("the state", () => {
  const envelope = { owner: home, actor: maker, timeMs: now };
  const left = (state: UserState, events: readonly object[]) =>
    (events as readonly UserEvent[]).reduce<UserState | undefined>(
      (before, event) => user.evolve(before, { ...event, ...envelope }),
      state,
    )!;

  test("has nothing any more by which somebody got in", () => {
    const all = [token, secret, key, ...kinds.map(([credential]) => credential)];
    const rest = left(everything, [voiding(...all, email)]);
    expect(rest.human).toMatchObject({ email: "ada@example.com", isEmailVerified: false });
    expect(credentialsOf(rest, now)).toEqual([]);
    expect(user.claims(rest)).toEqual([expect.objectContaining({ kind: "user.name" })]);
    // The person has not taken the account over for that.
    expect(user.row(rest).fields.state).toBe("INITIAL");
  });

  test.each([secret, key, email, ...kinds.map(([one]) => one)])(
    "keeps all but %j, and tells when others are told otherwise",
    (credential) => {
      const state = left(everything, [voiding(credential)]);
      const isTold = credential === email;
      expect(state.human?.updatedMs).toBe(isTold ? now : everything.human?.updatedMs);
      const rest = credentialsOf(state, now);
      const names = rest.map(({ maker: _maker, via: _via, ...one }) => one);
      const others = [token, secret, key, email, ...kinds.map(([one]) => one)];
      expect(names).toEqual(others.filter((one) => one !== credential));
    },
  );

  test.each([
    ["the address by which it came", { maker }, { maker: "u", via: [maker] }],
    ["nobody but the person, who chose the address", { maker: "u" }, { maker: "u" }],
  ])("of a passkey by a mailed link says %s", (_, emailMade, expected) => {
    const mailed = { ...link, code: "sealed", maker: "another" };
    const before = person({ emailMade, passwordless: [mailed] });
    expect(credentialsOf(before, now).map(({ kind, ...who }) => [kind, who])).toEqual([
      ["email", emailMade],
      ["passkey-link", { id: "c", maker: "another", via: [emailMade.maker] }],
    ]);
    const { maker: _maker, ...added } = passkey;
    const event = {
      type: "user.human.passwordless.token.added",
      payload: { ...added, codeId: "c" },
    } as const;
    const rest = user.evolve(before, { ...event, ...envelope, actor: "u" });
    expect(rest?.human?.passkeys).toEqual([{ ...added, ...expected, addedMs: envelope.timeMs }]);
  });

  test("of a passkey says who was handed the link by which it was registered", () => {
    const { maker: _maker, ...added } = passkey;
    const payload = { ...added, credentialId: "k2", codeId: "c" };
    const event = { type: "user.human.passwordless.token.added", payload } as const;
    const rest = user.evolve(everything, { ...event, ...envelope, actor: "u" });
    expect(rest?.human?.passkeys.map((one) => [one.credentialId, one.maker])).toEqual([
      ["k", maker],
      ["k2", maker],
    ]);
  });
});
