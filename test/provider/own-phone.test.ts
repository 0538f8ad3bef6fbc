import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sendLimits } from "../../src/domain/sending.ts";
import { accountCharacters } from "../../src/domain/user/human/human.ts";
import { codeIntervalMs } from "../../src/domain/user/human/phone.ts";
import { codeFailuresMax } from "../../src/domain/user/state/human-state.ts";
import { freshMs } from "../../src/provider/account/part.ts";
import { humanOf } from "../cases/accounts.ts";
import { pendingCode } from "../cases/phones.ts";
import { type Browser, errorIn } from "./browser.ts";
import { enter, givenOwn } from "./own-browser.ts";
import { type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties({ sendLimits });
});
afterAll(() => parties.close());

let numbers = 0;

/** A number that nobody has had. */
function nextNumber(): string {
  numbers += 1;
  return `+4144668${String(numbers).padStart(4, "0")}`;
}

/** The same number with blanks in it, so many characters long. */
const spaced = (number: string, length: number) =>
  number.replace("+41", `+41${" ".repeat(length - number.length)}`);

const phoneOf = async ({ userId }: Person) => (await humanOf(parties.server, userId))?.phone;

async function givenPhone(): Promise<{ person: Person; browser: Browser; number: string }> {
  const number = nextNumber();
  const { person, browser } = await givenOwn(parties);
  await browser.open("/account/phone");
  expect(browser.page.text).toContain("<dd>None</dd>");
  await browser.send({ phone: spaced(number, accountCharacters.phone) }, "set");
  return { person, browser, number };
}

/** Waits until another code may be made; the login is fresh then. */
async function waitWith(browser: Browser, person: Person): Promise<void> {
  parties.clock.nowMs += freshMs;
  await browser.open("/account/phone");
  await enter(browser, person);
}

describe("an own phone number", () => {
  test("is proven by the code of an SMS, and removed", async () => {
    const { person, browser, number } = await givenPhone();
    expect(await phoneOf(person)).toMatchObject({ number, isVerified: false });
    expect(browser.page.text).toContain(`<bdi dir="ltr">${number}</bdi>, not verified`);
    const code = await pendingCode(parties.server, person.userId);
    expect(errorIn(await browser.send({ code: "WRONG2" }, "verify"))).toMatch(/^This code isn’t/);
    await browser.send({ code: code.toLowerCase() }, "verify");
    expect(browser.page.text).toContain("Your phone number is verified");
    expect(browser.page.text).toContain(`<bdi dir="ltr">${number}</bdi>, verified`);
    expect(await phoneOf(person)).toEqual({ number, isVerified: true });
    expect(errorIn(await browser.send({ phone: number }, "set"))).toContain("your number");
    await browser.send({}, "remove");
    expect(browser.page.text).toContain("<dd>None</dd>");
    expect(await phoneOf(person)).toBeUndefined();
  });

  test.each([
    ["with no-break spaces and hyphens", "\u202a+41\u00a044\u00a0668\u201118\u201100\u202c"],
    ["in full width", "＋４１４４６６８１８０１"],
    ["in Arabic digits", "+٤١٤٤٦٦٨١٨٠٢"],
  ])("is taken as people paste it %s", async (_how, phone) => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/phone");
    await browser.send({ phone }, "set");
    const number = expect.stringMatching(/^\+4144668180[0-2]$/);
    expect(await phoneOf(person)).toMatchObject({ number });
  });

  test("is not proven after five wrong codes", async () => {
    const { person, browser } = await givenPhone();
    const code = await pendingCode(parties.server, person.userId);
    for (let i = 0; i < codeFailuresMax; i += 1) await browser.send({ code: "WRONG2" }, "verify");
    expect((await browser.send({ code }, "verify")).status).toBe(400);
    expect(await phoneOf(person)).toMatchObject({ isVerified: false });
  });

  const long = spaced("+41446681800", accountCharacters.phone + 1);

  test.each(["044 668 18 00", "nothing", "", long])(
    "is refused where it is none: %s",
    async (phone) => {
      const { person, browser } = await givenOwn(parties);
      await browser.open("/account/phone");
      const { status, text } = await browser.send({ phone }, "set");
      expect([status, errorIn({ text })]).toEqual([400, expect.stringMatching(/country code/)]);
      expect(text).toMatch(/id="phone"[^>]*aria-invalid="true" autofocus/s);
      expect(text).toContain(`value="${phone}"`);
      expect(await phoneOf(person)).toBeUndefined();
    },
  );

  test("is sent a code every 30 seconds, and ten a day", async () => {
    const { person, browser, number } = await givenPhone();
    const soon = await browser.send({}, "resend");
    expect([soon.status, errorIn(soon)]).toEqual([429, expect.stringMatching(/30 seconds/)]);
    parties.clock.nowMs += codeIntervalMs;
    await browser.send({}, "resend");
    expect(browser.page.status).toBe(200);
    for (let i = 2; i < sendLimits.smsPerNumber; i += 1) {
      await waitWith(browser, person);
      await browser.send({}, "resend");
      expect(browser.page.status).toBe(200);
    }
    await waitWith(browser, person);
    const late = await browser.send({}, "resend");
    expect([late.status, errorIn(late)]).toEqual([
      429,
      "We can’t send any more text messages today. Try again tomorrow.",
    ]);
    expect(await phoneOf(person)).toMatchObject({ number, isVerified: false });
  });
});
