import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { dayLimits } from "../../src/domain/user/state/day.ts";
import { humanOf } from "../cases/accounts.ts";
import { errorIn, heading } from "./browser.ts";
import { happen } from "./mails.ts";
import { givenOwn } from "./own-browser.ts";
import { type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const changed = "user.human.profile.changed";
const profile = {
  ...{ firstName: " Augusta ", lastName: "King", nickName: "", displayName: "" },
  ...{ preferredLanguage: "de", gender: "FEMALE" },
};
const longest = "𝒜".repeat(200);

describe("own names", () => {
  test("are changed, and what others see follows from them", async () => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/profile");
    expect(browser.page.text).toMatch(/name="firstName"[^>]* value="Ada"/s);
    expect(browser.page.text).toMatch(/name="displayName"[^>]* value=""/s);
    await browser.send(profile, "save");
    expect([browser.page.status, heading(browser.page)]).toEqual([200, "Name and language"]);
    expect(browser.page.text).toContain("Your changes have been saved.");
    expect(browser.page.text).toContain('<option value="de" lang="de" selected>Deutsch</option>');
    expect(await humanOf(parties.server, person.userId)).toMatchObject({
      ...profile,
      ...{ firstName: "Augusta", displayName: "Augusta King" },
    });
    await browser.open("/account/profile");
    expect(browser.page.text).not.toContain("Your changes have been saved.");
    await browser.send(profile, "save");
    expect(browser.page.text).toContain("Your changes have been saved.");
    expect((await parties.typesOf(person)).filter((type) => type === changed)).toHaveLength(1);
  });

  test("are as long as administrators may make them", async () => {
    const { person, browser } = await givenOwn(parties);
    const names = {
      firstName: longest,
      lastName: longest,
      nickName: longest,
      displayName: longest,
    };
    await browser.open("/account/profile");
    expect((await browser.send({ ...profile, ...names }, "save")).status).toBe(200);
    expect(await humanOf(parties.server, person.userId)).toMatchObject(names);
    expect(Buffer.byteLength(browser.page.text)).toBeLessThan(30_000);
  });

  test.each([
    ["firstName", "  ", "Enter 1 to 200 characters, on one line."],
    ["lastName", `${longest}𝒜`, "Enter 1 to 200 characters, on one line."],
    ["nickName", "a\nb", "Enter at most 200 characters on one line, or leave this empty."],
    ["displayName", "a\u202eb", "Enter at most 200 characters on one line, or leave this empty."],
    ["preferredLanguage", "no_language", "Choose one of these languages."],
  ])("are refused at the field, and stay typed: %s", async (name, value, error) => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/profile");
    const { status, text } = await browser.send({ ...profile, [name]: value }, "save");
    expect([status, errorIn({ text })]).toEqual([400, error]);
    expect(text).toMatch(new RegExp(`id="${name}"[^>]*aria-invalid="true" autofocus`, "s"));
    const other = name === "lastName" ? ["firstName", "Augusta"] : ["lastName", "King"];
    expect(text).toMatch(new RegExp(`name="${other[0]}"[^>]* value="${other[1]}"`, "s"));
    expect(await parties.typesOf(person)).not.toContain(changed);
  });

  test("are refused where the form has a gender that nobody offered", async () => {
    const { browser } = await givenOwn(parties);
    await browser.open("/account/profile");
    expect((await browser.send({ ...profile, gender: "OTHER" }, "save")).status).toBe(400);
  });

  test("are not changed any more after too many times in a day", async () => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/profile");
    const kept = { ...profile, gender: "FEMALE", displayName: "A" } as const;
    for (let i = 0; i < dayLimits.changesOfDay; i += 1) {
      await happen(parties, person, { type: changed, payload: { ...kept, nickName: String(i) } });
    }
    const { status, text } = await browser.send(profile, "save");
    expect([status, errorIn({ text })]).toEqual([
      429,
      "You’ve changed this too often today. Try again tomorrow.",
    ]);
  });
});
