import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ownerLinkMs } from "../../src/domain/owner-link.ts";
import { leaveOwnerLink } from "../../src/start/owner-link.ts";
import type { Page } from "./browser.ts";
import { logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const password = "correct horse battery";
const heading = ({ text }: Pick<Page, "text">) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const over = "This link is no longer valid";

/** A link as the command leaves it. */
async function givenLink(): Promise<string> {
  const { execute, dataDir, url } = parties.server;
  const path = await leaveOwnerLink({ execute, dataDir, url, random: randomBytes });
  expect(path).toBe(join(dataDir, "owner.link"));
  return (await readFile(path, "utf8")).trim();
}

function someone(rest: object = {}): { readonly [name: string]: string } {
  const userName = v7();
  const email = `${userName}@example.com`;
  return { userName, email, firstName: "Grace", lastName: "Hopper", password, ...rest };
}

test("a person becomes an owner by the link, once, and logs in", async () => {
  const link = await givenLink();
  const browser = parties.browser();
  expect(heading(await browser.open(link))).toBe("Become an owner");
  const person = someone();
  const before = await parties.server.head();
  const done = await browser.send(person);
  expect([done.status, heading(done)]).toEqual([200, "You are now an owner"]);
  expect(done.text).toContain("Log in with your user name");

  const written = await parties.server.events(before);
  expect(written.map(({ type, actor }) => [type, actor])).toEqual([
    ["instance.owner.link.used", "operator"],
    ["user.human.added", "operator"],
    ["user.human.email.verified", "operator"],
    ["user.membership.granted", "operator"],
  ]);
  expect(written.at(-1)?.owner).toBe(parties.server.admin.organization);
  expect(JSON.parse(written.at(-1)?.payload ?? "")).toEqual({
    ...{ scope: { level: "instance" }, roles: ["IAM_OWNER"] },
  });
  const { userName = "", email = "" } = person;
  const userId = written.at(-1)?.stream.replace("user-", "") ?? "";
  const asked = { ...{ userName, email, password }, userId };
  const claims = (await logIn(parties.browser(), await parties.givenApp(), asked)).claims();
  expect(claims?.sub).toBe(userId);

  for (const page of [await browser.open(link), await sendTo(link, someone())]) {
    expect([page.status, heading(page)]).toEqual([400, over]);
  }
  expect(parties.server.logged().join("")).not.toContain(new URL(link).searchParams.get("code"));
});

test("of two who send the form at once, one becomes an owner", async () => {
  const link = await givenLink();
  const before = await parties.server.head();
  const pages = await Promise.all([1, 2, 3].map(() => sendTo(link, someone())));
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  const types = (await parties.server.events(before)).map(({ type }) => type);
  expect(types.filter((type) => type === "user.human.added")).toHaveLength(1);
});

test("a link ends after a day, and with a newer one; what is wrong is not said", async () => {
  const first = await givenLink();
  const wrong = first.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
  const second = await givenLink();
  const told = new Set<string>();
  const refused = async (link: string) => {
    for (const page of [await parties.browser().open(link), await sendTo(link, someone())]) {
      expect([page.status, heading(page)]).toEqual([400, over]);
      // A page that was opened lets people choose a language, and comes back to its link then.
      told.add(page.text.replace(/<footer[\s\S]*<\/footer>\n/, ""));
    }
  };
  await refused(first);
  await refused(wrong);
  await refused(second.replace(/\?.*/, ""));
  const begunMs = parties.clock.nowMs;
  parties.clock.nowMs = begunMs + ownerLinkMs - 1_000;
  expect((await parties.browser().open(second)).status).toBe(200);
  parties.clock.nowMs = begunMs + ownerLinkMs;
  await refused(second);
  parties.clock.nowMs = begunMs;
  expect(told.size).toBe(1);
});

test.each<readonly [string, object, string]>([
  ["a user name that somebody has", { userName: "ADMIN" }, "This user name is taken"],
  ["no user name", { userName: " " }, "1 to 200 characters, on one line"],
  ["a user name of 201 characters", { userName: "u".repeat(201) }, "1 to 200"],
  ["two addresses", { email: "a@example.com, b@example.com" }, "Enter one email address"],
  ["no first name", { firstName: "" }, "1 to 200 characters, on one line"],
  ["a last name that turns text around", { lastName: "a\u202eb" }, "1 to 200"],
  ["a password of seven characters", { password: "1234567" }, "must be 8 to 256 characters"],
  ["a password that many have", { password: "12345678" }, "Choose a different password"],
  ["a password that is the name", { password: "Grace Hopper" }, "Choose a different password"],
])("%s is refused, and the link stays good", async (_, wrong, told) => {
  const link = await givenLink();
  const browser = parties.browser();
  await browser.open(link);
  const before = await parties.server.head();
  const person = someone(wrong);
  const page = await browser.send(person);
  expect([page.status >= 400, heading(page)]).toEqual([true, "Become an owner"]);
  expect(page.text).toContain(told);
  expect(page.text).not.toContain(password);
  expect(await parties.server.head()).toBe(before);
  expect(heading(await browser.send(someone()))).toBe("You are now an owner");
});

/** Sends the form without a page for it. */
async function sendTo(link: string, fields: { readonly [name: string]: string }) {
  const { origin, pathname, searchParams } = new URL(link);
  const body = new URLSearchParams({ ...fields, code: searchParams.get("code") ?? "" });
  const response = await fetch(origin + pathname, { method: "POST", body, headers: { origin } });
  return { status: response.status, text: await response.text() };
}
