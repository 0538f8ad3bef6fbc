import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { codeFieldOf } from "../../src/domain/user/credential/code.ts";
import { humanOf } from "../cases/accounts.ts";
import type { Browser } from "./browser.ts";
import { givenOwn } from "./own-browser.ts";
import { type Parties, startParties } from "./relying.ts";

// Who made what a person logs in with has a hand in what the person sets then.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const another = "a better horse battery";

/** A token of one who manages the users of the organization, and no more. */
async function givenManager(): Promise<string> {
  const path = "/management/v1/users";
  const { userId } = await parties.call("POST", `${path}/machine`, { userName: v7(), name: "M" });
  const roles = ["ORG_USER_MANAGER"];
  await parties.call("POST", "/management/v1/orgs/me/members", { userId, roles });
  return String((await parties.call("POST", `${path}/${userId}/pats`, {})).token);
}

async function request(browser: Browser): Promise<void> {
  await browser.open("/account/email");
  await browser.send({ email: `${v7()}@evil.example` }, "request");
}

test("a password and an address that are set so rise no further than who made them", async () => {
  const token = await givenManager();
  const { server } = parties;
  const userName = v7();
  const response = await fetch(`${server.url}/management/v1/users/human/_import`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      userName,
      email: { email: `${userName}@evil.example`, isEmailVerified: true },
      profile: { firstName: "Ada", lastName: "Lovelace" },
      password: "correct horse battery",
    }),
  });
  const { userId } = (await response.json()) as { readonly userId: string };
  const person = { userId, userName, email: "", password: "correct horse battery" };
  const { browser } = await givenOwn(parties, person);
  await browser.open("/account/password");
  await browser.send({ current: person.password, password: another }, "change");
  await request(browser);
  const sealed = (await humanOf(server, userId))?.emailRequest?.code ?? "";
  const code = server.keyring.open(sealed, codeFieldOf("user.human.email.requested", userId));
  await browser.send({ code }, "verify");
  expect(browser.page.text).toContain("Your email address is verified");
  await request(browser);

  const raised = { userId, roles: ["IAM_OWNER"], returnInitializationLink: true };
  const answer = await parties.call("POST", "/admin/v1/members", raised);
  expect(answer).toMatchObject({ voided: ["email", "password"] });
  expect((await humanOf(server, userId))?.emailRequest).toBeUndefined();
});
