import type { Browser } from "./browser.ts";
import type { Parties, Person } from "./relying.ts";

/** A person, and a browser in which it has logged in to the account page. */
export interface OwnBrowser {
  readonly person: Person;
  readonly browser: Browser;
}

/** Logs a person in to the account page: the one that is given, or a new one. */
export async function givenOwn(parties: Parties, person?: Person): Promise<OwnBrowser> {
  const who = person ?? (await parties.givenPerson());
  const browser = parties.browser();
  await browser.open("/account");
  await enter(browser, who);
  return { person: who, browser };
}

/** Fills in the login of somebody. */
export const enter = (browser: Browser, { userName, password }: Person) =>
  browser.send({ userName, password }, "password");
