import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { codeFieldOf } from "../../src/domain/user/credential/code.ts";
import { emailCodeOf, humanOf, mailedLinkOf } from "../cases/accounts.ts";
import { register } from "../cases/webauthn.ts";
import { few, inFull } from "../harness/in-full.ts";
import { heading } from "./browser.ts";
import { askAs, linkFor, mailedTo } from "./mails.ts";
import {
  type App,
  begin,
  type Called,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

// Who chose the address of a person may have what is mailed there, and what comes of that.

const said = "an address that was only said";
const orgs = "/management/v1/orgs/me/members";
const instance = "/admin/v1/members";
const users = "/management/v1/users";
const management = "/iam.management.v1.ManagementService";
const another = "a better horse battery";

let parties: Parties;
let app: App;
/** An owner of the organization, and one who only manages its users; and one of the instance. */
let lesser: Administrator;
let manager: Administrator;
let owner: Administrator;

interface Administrator {
  readonly userId: string;
  readonly token: string;
}

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
  lesser = await givenAdministrator(orgs, "ORG_OWNER");
  manager = await givenAdministrator(orgs, "ORG_USER_MANAGER");
  owner = await givenAdministrator(instance, "IAM_OWNER");
});
afterAll(() => parties.close());

async function givenAdministrator(members: string, role: string): Promise<Administrator> {
  const made = await parties.call("POST", `${users}/machine`, { userName: v7(), name: "M" });
  const userId = String(made.userId);
  await parties.call("POST", members, { userId, roles: [role] });
  const { token } = await parties.call("POST", `${users}/${userId}/pats`, {});
  return { userId, token: String(token) };
}

/** Calls a method of REST; answers what comes back, or the reason of the refusal. */
async function callAs({ token }: Pick<Administrator, "token">, path: string, body: object) {
  const response = await fetch(parties.server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Called & {
    readonly details: readonly { readonly reason: string }[];
  };
  return response.ok ? (answer as Called) : answer.details[0]?.reason;
}

/** A person whom somebody has made, with an address of that one's own. */
async function givenBy(maker: Administrator, given: object = {}): Promise<Person> {
  const userName = v7();
  const person = { userName, email: `${userName}@evil.example`, password: "correct horse battery" };
  const made = (await callAs(maker, `${users}/human/_import`, {
    userName,
    email: { email: person.email, isEmailVerified: true },
    profile: { firstName: "Ada", lastName: "Lovelace" },
    password: person.password,
    ...given,
  })) as Called;
  return { ...person, userId: String(made.userId) };
}

/** The code of the mail behind which a person initializes the account. */
async function initializationCode({ userId }: Person): Promise<string> {
  const sealed = (await humanOf(parties.server, userId))?.initialization?.code ?? "";
  const place = codeFieldOf("user.human.initialization.code.added", userId);
  return parties.server.keyring.open(sealed, place);
}

/** Takes the account over with a code, as the page does; answers the reason of a refusal. */
async function initialize({ userId }: Person, code: string, password = another) {
  const nobody = { token: "" };
  const path = "/iam.account.v1.AccountService/Initialize";
  return await callAs(nobody, path, { userId, code, password });
}

/** Gives a role, and answers what the answer says; `linked` asks for a link. */
async function raise(person: Person, members = instance, role = "IAM_OWNER", linked = false) {
  const request = { userId: person.userId, roles: [role], returnInitializationLink: linked };
  return await callAs(parties.server.admin, members, request);
}

const asked = ({ userId }: Person) => {
  return { userId, roles: ["ORG_OWNER"], returnInitializationLink: true };
};

async function mailsAskedFor({ userId }: Person): Promise<number> {
  const { server } = parties;
  const waiting = await server.store.readStream(`user-${userId}`, 0, 1_000);
  return waiting.filter(
    ({ type, payload }) =>
      type === "user.human.initialization.code.added" && JSON.parse(payload).send !== false,
  ).length;
}

const codeIn = (answer: unknown) => {
  const { initializationLink } = answer as { readonly initializationLink: string };
  return String(new URL(initializationLink).searchParams.get("code"));
};

describe(`${said} does not rise with a grant:`, () => {
  few().each([
    ["of an owner of the organization, to the instance", () => lesser, instance, "IAM_OWNER"],
    ["of a manager of users, to the organization", () => manager, orgs, "ORG_OWNER"],
  ] as const)("the attack, %s", async (_, by, members, role) => {
    const person = await givenBy(by());
    expect(await raise(person, members, role)).toBe("MEMBER_LOCKED_OUT");
    const answer = await raise(person, members, role, true);
    expect(answer).toMatchObject({ voided: ["email", "password"] });
    expect(await mailsAskedFor(person)).toBe(0);
    await askAs(parties.browser(), app, person.userName);
    expect(await mailedTo(parties, person)).toBeUndefined();
    // The link is valid once, and says nothing of the address.
    expect(await initialize(person, codeIn(answer))).toHaveProperty("details");
    expect(await initialize(person, codeIn(answer))).toBe("CODE_INVALID");
    expect(await humanOf(parties.server, person.userId)).toMatchObject({
      ...{ email: person.email, isEmailVerified: false },
    });
    await logIn(parties.browser(), app, { ...person, password: another });
  });

  test("nor does a password that was chosen behind the mail there", async () => {
    const email = { email: `${v7()}@evil.example`, isEmailVerified: false };
    const person = await givenBy(lesser, { email, password: "" });
    await initialize(person, await initializationCode(person));
    expect(await raise(person)).toBe("MEMBER_LOCKED_OUT");
    expect(await raise(person, instance, "IAM_OWNER", true)).toMatchObject({
      voided: ["email", "password"],
    });
  });

  test("nor does one that was set later, whose code verifies nothing then", async () => {
    const person = await givenBy(owner);
    const email = `${v7()}@evil.example`;
    const { userId } = person;
    await callAs(manager, `${management}/UpdateHumanEmail`, { userId, email });
    const code = await emailCodeOf(parties.server, userId);
    expect(await raise(person, orgs, "ORG_OWNER")).toMatchObject({ voided: ["email"] });
    const verifying = "/iam.account.v1.AccountService/VerifyEmail";
    expect(await callAs({ token: "" }, verifying, { userId, code })).toBe("CODE_INVALID");
    const resending = `${management}/ResendHumanEmailVerification`;
    expect(await callAs(owner, resending, { userId })).toBe("EMAIL_MISSING");
    expect(await humanOf(parties.server, userId)).toMatchObject({ email, isEmailVerified: false });
    await logIn(parties.browser(), app, person);
  });

  test("nor does a passkey that was registered behind the mail there", async () => {
    const person = await givenBy(lesser);
    const { userId } = person;
    const path = `${users}/${userId}/passwordless/_send_link`;
    expect(await callAs(owner, path, {})).toHaveProperty("details");
    const link = await mailedLinkOf(parties.server, userId);
    const account = "/iam.account.v1.AccountService";
    const begun = (await callAs({ token: "" }, `${account}/BeginPasskey`, link)) as Called;
    const { url: origin } = parties.server;
    const { credential, credentialId } = register(begun.options as JsonObject, { origin });
    await callAs({ token: "" }, `${account}/FinishPasskey`, { ...link, credential });
    expect(await raise(person, instance, "IAM_OWNER", true)).toMatchObject({
      voided: ["email", "password", `passkey:${credentialId}`],
    });
  });

  test("nor is a link for a passkey mailed to one that nobody has verified", async () => {
    const { userId } = await givenBy(lesser);
    await callAs(owner, `${management}/UpdateHumanEmail`, { userId, email: "eve@evil.example" });
    const path = `${users}/${userId}/passwordless/_send_link`;
    expect(await callAs(owner, path, {})).toBe("RESET_IMPOSSIBLE");
  });

  inFull("nor does one that was forgotten, and chosen behind the mail there", async () => {
    const person = await givenBy(lesser);
    const browser = parties.browser();
    await browser.open(await linkFor(parties, app, person));
    expect(heading(await browser.send({ password: another }))).toBe("Your password was changed");
    expect(await raise(person)).toBe("MEMBER_LOCKED_OUT");
  });

  test("nor does one that was chosen with the one before", async () => {
    const person = await givenBy(lesser, { passwordChangeRequired: true });
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    await browser.send({ userName: person.userName, password: person.password });
    expect((await browser.send({ password: another })).url).toContain("code=");
    expect(await raise(person, instance, "IAM_OWNER", true)).toMatchObject({
      voided: ["email", "password"],
    });
    const silent = await browser.open((await begin(app, { prompt: "none" })).url.href);
    expect(silent.url).toContain("error=login_required");
  });

  test.each([["_deactivate"], ["removed"]])(
    "where who said it held enough, and is %s by then",
    async (end) => {
      const maker = await givenAdministrator(instance, "IAM_OWNER");
      const person = await givenBy(maker);
      const path = `${users}/${maker.userId}`;
      await (end === "removed"
        ? parties.call("DELETE", path)
        : parties.call("POST", `${path}/${end}`, {}));
      expect(await raise(person)).toBe("MEMBER_LOCKED_OUT");
    },
  );

  test("while one of an owner of the instance does, with password and session", async () => {
    const email = { email: `${v7()}@example.com`, isEmailVerified: false };
    const person = await givenBy(owner, { email, password: "" });
    await initialize(person, await initializationCode(person));
    const browser = parties.browser();
    await logIn(browser, app, { ...person, password: another });
    expect(await raise(person)).not.toHaveProperty("voided");
    const silent = await browser.open((await begin(app, { prompt: "none" })).url.href);
    expect(silent.url).toContain("code=");
    await linkFor(parties, app, person);
  });

  test("and no mail goes there afterwards, unless somebody names an address", async () => {
    const person = await givenBy(lesser);
    await raise(person, instance, "IAM_OWNER", true);
    const path = `${users}/${person.userId}/_resend_initialization`;
    expect(await callAs(lesser, path, { email: person.email })).toBe("ESCALATION_DENIED");
    expect(await callAs(owner, path, {})).toBe("INVALID_FIELDS");
    expect(await callAs(owner, path, { email: person.email })).toHaveProperty("details");
    expect(await mailsAskedFor(person)).toBe(1);
  });
});

test(`${said}: no link is answered to who holds less than the person elsewhere`, async () => {
  const made = await parties.call("POST", "/management/v1/orgs", { name: v7() });
  const elsewhere = String(made.id);
  const both = await givenAdministrator(orgs, "ORG_USER_MANAGER");
  const person = await givenBy(owner);
  const give = ({ userId }: { readonly userId: string }) =>
    parties.call("POST", orgs, { userId, roles: ["ORG_OWNER"] }, elsewhere);
  await give(both);
  const planted = (await callAs(both, `${users}/${person.userId}/pats`, {})) as Called;
  expect(await give(person)).not.toHaveProperty("voided");
  expect(await callAs(lesser, orgs, asked(person))).toBe("ESCALATION_DENIED");
  const answer = await callAs(parties.server.admin, orgs, asked(person));
  expect(answer).toMatchObject({ voided: [`token:${planted.tokenId}`] });
  expect(await initialize(person, codeIn(answer))).toHaveProperty("details");
});

test("grants that outlive a voided password: refresh tokens, codes and sessions end", async () => {
  const person = await givenBy(lesser);
  const browser = parties.browser();
  const offline = { scope: "openid offline_access" };
  const tokens = await logIn(browser, app, person, offline);
  const waiting = await begin(app);
  const { url: unfetched } = await browser.open(waiting.url.href);
  expect(unfetched).toContain("code=");
  const answer = await raise(person, instance, "IAM_OWNER", true);
  expect(answer).toMatchObject({ voided: ["email", "password"] });

  const over = { error: "invalid_grant" };
  const refreshing = oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
  await expect(refreshing).rejects.toMatchObject(over);
  const asking = oidc.fetchUserInfo(app.config, tokens.access_token, person.userId);
  await expect(asking).rejects.toMatchObject({ status: 401 });
  await expect(fetchTokens(app, waiting, unfetched)).rejects.toMatchObject(over);
  const silent = await browser.open((await begin(app, { prompt: "none" })).url.href);
  expect(silent.url).toContain("error=login_required");
  await initialize(person, codeIn(answer));
  const anew = await logIn(parties.browser(), app, { ...person, password: another }, offline);
  await oidc.refreshTokenGrant(app.config, String(anew.refresh_token));
});

test("grants that outlive a voided password: those stay where none is voided", async () => {
  const person = await givenBy(owner);
  const offline = { scope: "openid offline_access" };
  const tokens = await logIn(parties.browser(), app, person, offline);
  await callAs(manager, `${users}/${person.userId}/pats`, {});
  const { voided } = (await callAs(parties.server.admin, orgs, asked(person))) as Called;
  expect(voided).toEqual([expect.stringMatching(/^token:/)]);
  await oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
});
