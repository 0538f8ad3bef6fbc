import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import type { Store } from "../../src/store/store.ts";
import { begin, type Parties, startParties } from "./relying.ts";

// What is forced to the disk takes longer than all else that an answer waits for: one who counts
// how often that was is told who is there.

let writes = 0;
let parties: Parties;

const counting = <Given extends unknown[], Result>(write: (...given: Given) => Result) => {
  return (...given: Given) => {
    writes += 1;
    return write(...given);
  };
};

const wrap = (log: Store): Store => ({
  ...log,
  append: counting(log.append),
  artifacts: {
    ...log.artifacts,
    write: counting(log.artifacts.write),
  },
});

beforeAll(async () => {
  parties = await startParties({ wrap });
});
afterAll(() => parties.close());

test("GHSA-pvm5-9frx-264r: as much is written for a name of nobody as for any other", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const away = await parties.givenPerson();
  await parties.call("POST", `/management/v1/users/${away.userId}/_deactivate`, {});
  const machine = { userName: "a-machine", name: "A machine" };
  await parties.call("POST", "/management/v1/users/machine", machine);
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const names = [person, away, machine, { userName: "nobody" }].map(({ userName }) => userName);
  const written = [];
  for (let tries = 1; tries <= loginLimits.failures + 2; tries += 1) {
    for (const userName of names) {
      const before = writes;
      await browser.send({ userName, password: "wrong" });
      written.push([tries, userName, writes - before]);
    }
  }
  // The tries of this machine with those of the name, and the event or what stands in for it.
  expect(written.filter(([, , count]) => count !== 2)).toEqual([]);
});
