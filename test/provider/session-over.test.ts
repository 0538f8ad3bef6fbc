import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { streamOf } from "../../src/domain/noun.ts";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { givenAsker, isLetIn, statusOfUserinfo } from "./asking.ts";
import { allowed, api, callWith, jwt } from "./consenting.ts";
import { begin, fetchTokens, type Parties, type Person, startParties } from "./relying.ts";

// A session is over by its time alone, and what came from it ends with it.

const clock = { nowMs: 0 };
let parties: Parties;

beforeEach(async () => {
  // Tokens are over by the time of the machine, which the session reaches as it ends.
  clock.nowMs = Date.now() - loginLimits.sessionMs;
  parties = await startParties({ now: () => clock.nowMs });
});
afterEach(() => parties.close());

/** When the session of the person began. */
async function begunMsOf({ userId }: Person): Promise<number> {
  const events = await parties.server.store.readStream(streamOf(user, userId), 0, 1_000);
  const begun = events.find(({ type }) => type === "user.human.session.begun");
  return begun?.timeMs ?? Number.NaN;
}

test.each([
  ["opaque", {}],
  ["JWT", jwt],
])("an access token that is %s is none from then on", async (_kind, given) => {
  const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
  const browser = parties.browser();
  await allowed(browser, app, person);
  const endMs = (await begunMsOf(person)) + loginLimits.sessionMs;
  // A minute before the end comes one that would be valid for longer.
  clock.nowMs = endMs - 60_000;
  const begun = await begin(app, { ...api, prompt: "none" });
  const back = await browser.open(begun.url.href);
  const { access_token: token } = await fetchTokens(app, begun, back.url);
  const isActive = await givenAsker(parties);
  const take = async () => [
    await isActive(token),
    await statusOfUserinfo(parties, token),
    (await callWith(parties, token, "/management/v1/projects/_search")).status,
  ];
  clock.nowMs = endMs - 1;
  expect([...(await take()), await isLetIn(browser, app)]).toEqual([true, 200, 403, true]);
  clock.nowMs = endMs;
  expect([...(await take()), await isLetIn(browser, app)]).toEqual([false, 401, 401, false]);
});
