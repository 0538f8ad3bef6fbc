import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import Cookies from "cookies";
import { cookieNames } from "../../src/provider/base/site.ts";
import { type App, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

test("names remembered for good: cookies of single logins are none of a library's", async () => {
  const read = jest.spyOn(Cookies.prototype, "get");
  await logIn(parties.browser(), app, await parties.givenPerson());
  const names = read.mock.calls.map(([name]) => name);
  read.mockRestore();
  const { session, interaction, resume } = cookieNames({ publicUrl: () => parties.server.url });
  expect(new Set(names)).toEqual(new Set([session, interaction, resume]));
});
