import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { emailCodeOf, humanOf, sendAll } from "../cases/accounts.ts";
import { wrong } from "../cases/phones.ts";
import { few } from "../harness/in-full.ts";
import { ofOwnPage } from "../provider/browser.ts";
import { formOf, type Site, startSite } from "./site.ts";

/** The page behind the mail by which an e-mail address is verified. */

let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const title = "Verify your email address";
const verified = "Your email address is verified";
const over = "This link is no longer valid";
const miss = "user.human.email.verification.failed";

/** A person with another address, and the code and the link of the mail. */
async function givenMail() {
  const email = { email: "ada@example.com", isEmailVerified: true };
  const { userId } = await site.givenPerson({ email, password: "correct horse battery" });
  await call(userId, "PUT", "email", { email: "lovelace@example.com" });
  return { userId, ...(await mailOf(userId)), before: await site.typesOf(userId) };
}

async function mailOf(userId: string) {
  const { keyring, admin } = site.server;
  const sealed = (await humanOf(site.server, userId))?.emailCode?.code ?? "";
  const code = keyring.derive(sealed, { stream: `user-${userId}`, field: "email.code" });
  const query = new URLSearchParams({ userID: userId, orgID: admin.organization, code });
  return { link: `/ui/email/verify?${query}`, code: await emailCodeOf(site.server, userId) };
}

async function call(userId: string, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${site.server.url}/management/v1/users/${userId}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${site.server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`it was refused: ${await response.text()}`);
}

describe("the link of the mail", () => {
  test("verifies the address by its button alone, once, without a script", async () => {
    const { userId, link, before } = await givenMail();
    const page = await site.open(link);
    for (const headers of [{}, { purpose: "prefetch" }]) await site.open(link, headers);
    expect(page).toMatchObject({ status: 200, heading: title });
    expect(page.text).not.toMatch(/<script|type="text"/);
    // Nothing was tried by opening it, and the page says nothing of the person.
    expect(await site.typesOf(userId)).toEqual(before);
    expect(page.text).not.toMatch(/Ada|lovelace/);

    expect(await site.send(page, {})).toMatchObject({
      ...{ status: 200, path: "/ui/done?after=email", heading: verified },
    });
    expect(await site.typesOf(userId, before.length)).toEqual(["user.human.email.verified"]);
    const again = await site.send(page, {});
    expect(again).toMatchObject({ status: 400, heading: over });
    expect(again.text).toContain("If your email address is verified, there is nothing left to do.");
    expect(await site.typesOf(userId)).toHaveLength(before.length + 1);
  });

  test("counts when it is sent with a wrong code, and not when it is opened", async () => {
    const { userId, link, before } = await givenMail();
    const broken = link.replace(/code=.*/, `code=${"0".repeat(32)}`);
    const page = await site.open(broken);
    expect(page).toMatchObject({ status: 200, heading: title });
    expect(await site.typesOf(userId)).toEqual(before);
    for (let nth = 0; nth < 5; nth += 1) {
      expect(await site.send(page, {})).toMatchObject({ status: 400, heading: over });
    }
    expect(await site.typesOf(userId, before.length)).toEqual(Array(5).fill(miss));
    expect(await site.send(await site.open(link), {})).toMatchObject({ status: 400 });
    expect(await site.typesOf(userId)).toHaveLength(before.length + 5);
  });

  test.each([
    ["ResendHumanEmailVerification", "POST", "email/_resend_verification", {}],
    ["UpdateHumanEmail", "PUT", "email", { email: "countess@example.com" }],
  ])("is over with the mail of %s, whose own is not", async (_, method, path, body) => {
    const { userId, link } = await givenMail();
    await call(userId, method, path, body);
    expect(await site.send(await site.open(link), {})).toMatchObject({ status: 400 });
    const { link: next } = await mailOf(userId);
    expect(await site.send(await site.open(next), {})).toMatchObject({ heading: verified });
  });

  test("counts until it expires, and no longer", async () => {
    const { userId, link } = await givenMail();
    const page = await site.open(link);
    await sendAll(site.server, userId);
    site.clock.nowMs += codeLifetimesMs.email;
    expect(await site.send(page, {})).toMatchObject({ status: 400, heading: over });
    site.clock.nowMs -= 1;
    const answer = await fetch(`${site.server.url}/ui/email/verify`, {
      method: "POST",
      body: new URLSearchParams(formOf(page).hidden),
      ...{ redirect: "manual", headers: ofOwnPage },
    });
    expect(answer.status).toBe(303);
  });

  test("is refused without the id of the person", async () => {
    const { link } = await givenMail();
    const cut = link.replace(/userID=[^&]*&/, "");
    expect(await site.open(cut)).toMatchObject({ heading: "This link is incomplete" });
  });
});

describe("the code of the mail", () => {
  few(1).each([
    ["as it is", (code: string) => code],
    ["in small letters with spaces", (code: string) => ` ${code.toLowerCase()} `],
  ])("is typed %s where the link came without its own", async (_, typed) => {
    const { userId, link, code } = await givenMail();
    const page = await site.open(link.replace(/&code=.*/, ""));
    expect(page).toMatchObject({ status: 200, heading: title });
    expect(formOf(page)).toEqual({ action: "../email/verify", hidden: { userID: userId } });
    expect(await site.send(page, { code: typed(code) })).toMatchObject({ heading: verified });
  });

  test("that is wrong is asked for again, and counted", async () => {
    const { userId, code, before } = await givenMail();
    const page = await site.open(`/ui/email/verify?userID=${userId}&code=${code}`);
    expect(page.text).toContain(`value="${code}"`);
    const again = await site.send(page, { code: wrong(code) });
    expect(again).toMatchObject({ status: 400, heading: title });
    expect(again.text).toContain("This code isn’t valid");
    expect(await site.typesOf(userId, before.length)).toEqual([miss]);
    expect(await site.send(again, { code })).toMatchObject({ heading: verified });
  });
});
