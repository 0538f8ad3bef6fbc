import { expect, test } from "@jest/globals";
import { resetLimits } from "../../src/domain/user/login/reset.ts";
import { begin, startParties } from "./relying.ts";

test("GHSA-pvm5-9frx-264r: a mail is asked for no faster for a name of nobody", async () => {
  const parties = await startParties();
  const app = await parties.givenApp();
  const person = await parties.givenPerson();
  const browser = parties.browser();
  for (const userName of [person.userName, "somebody else"]) {
    await browser.open((await begin(app)).url.href);
    await browser.send({ userName }, "forgotten");
    const begunMs = performance.now();
    await browser.send({ userName }, "ask");
    // A timer may be early by less than a millisecond.
    expect(performance.now() - begunMs).toBeGreaterThan(resetLimits.answerMs - 1);
  }
  await parties.close();
});
