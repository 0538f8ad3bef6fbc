import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { resetLimits } from "../../src/domain/user/login/reset.ts";
import { codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { heading } from "./browser.ts";
import { askAs, linkFor } from "./mails.ts";
import { type App, type Parties, type Person, startParties } from "./relying.ts";

// What strangers do who know a user name or an id, and ask for what is the person's alone.

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const asked = "user.human.password.code.added";

let parties: Parties;
let app: App;
afterEach(() => parties.close());

async function start(options: Parameters<typeof startParties>[0] = {}): Promise<void> {
  parties = await startParties(options);
  app = await parties.givenApp();
}

describe("mails that strangers ask for", () => {
  const perAddress = 20;

  /** When the codes of a person were made, in Unix milliseconds. */
  async function madeFor({ userId }: Person): Promise<readonly number[]> {
    const events = await parties.server.store.readStream(`user-${userId}`, 0, 1_000);
    return events.filter(({ type }) => type === asked).map(({ timeMs }) => timeMs);
  }

  /** Asks in the name of each person; answers what is said, which is one thing. */
  async function askFor(...people: readonly Person[]): Promise<string> {
    const told = new Set<string>();
    for (const { userName } of people) {
      const { status, text } = await askAs(parties.browser(), app, userName);
      told.add(`${status} ${text.replaceAll(/login\/[\w-]+/g, "")}`);
    }
    expect(told.size).toBe(1);
    return [...told].join();
  }

  /** Has a mail made that invites somebody to an address. */
  async function invite(email: string): Promise<void> {
    await parties.givenPerson({ email: { email, isEmailVerified: false }, password: "" });
  }

  /** The mails of a type that are due. */
  async function due(type: string): Promise<number> {
    const query = { types: [type], nowMs: parties.clock.nowMs, leaseMs: 1, limit: 1_000 };
    return (await parties.server.store.leaseMessages(query)).length;
  }

  test("for a whole day leave the person its mails, and others theirs", async () => {
    await start({ sendLimits: { mailsPerAddress: perAddress, mailsPerOrganization: 30 } });
    const [ada, bob] = [await parties.givenPerson(), await parties.givenPerson()];
    const begunMs = parties.clock.nowMs;
    const told = new Set<string>();
    const ofHour: number[] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      parties.clock.nowMs = begunMs + hour * (hourMs + 1_000);
      const asking = Array.from({ length: resetLimits.mailsOfPerson }, async () => askFor(ada));
      for (const said of await Promise.all(asking)) told.add(said);
      ofHour.push((await madeFor(ada)).length);
    }
    expect(told.size).toBe(1);
    // At once as many as an hour has, until those of a day are used up; then as they come back.
    expect(ofHour.slice(0, 4)).toEqual([5, 10, 15, 20]);
    const made = await madeFor(ada);
    expect(made.length).toBeGreaterThan(perAddress);
    expect(made.length).toBeLessThanOrEqual(2 * perAddress);
    // None waits for its turn, with a code that would be spent by then.
    expect(await due(asked)).toBe(made.length);

    // Others, and one who is invited to the same address, have theirs at once.
    await askFor(bob);
    expect(await madeFor(bob)).toHaveLength(1);
    await invite(ada.email);
    await invite("somebody@example.com");
    expect(await due("user.human.initialization.code.added")).toBe(2);

    // When nobody asks any more, the person has its mail after so long.
    parties.clock.nowMs = Math.max(...made) + dayMs / perAddress;
    await askFor(ada);
    expect(await madeFor(ada)).toHaveLength(made.length + 1);
  });

  test("are bounded for an organization, whose invitations leave all the same", async () => {
    await start({ sendLimits: { mailsPerAddress: 2, mailsPerOrganization: 3 } });
    const people = [];
    for (let i = 0; i < 4; i += 1) people.push(await parties.givenPerson());
    await askFor(...people);
    const made = await Promise.all(people.map(madeFor));
    expect(made.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    const last = people.at(-1) as Person;
    await invite("somebody@example.com");
    await invite(last.email);
    expect(await due("user.human.initialization.code.added")).toBe(2);
    const said = parties.server.logged().filter((line) => line.includes("forgotten passwords"));
    expect(said).toHaveLength(1);
    parties.clock.nowMs += dayMs / 3 + 1_000;
    await askFor(last);
    expect(await madeFor(last)).toHaveLength(1);
  });

  test("to an address are as many as it may have, and not one more", async () => {
    await start({ sendLimits: { mailsPerAddress: 3 } });
    const ada = await parties.givenPerson();
    for (let i = 0; i < 3; i += 1) await askFor(ada);
    expect(await madeFor(ada)).toHaveLength(3);
    const head = await parties.server.head();
    await askFor(ada);
    expect(await parties.server.head()).toBe(head);
    parties.clock.nowMs += codeLifetimesMs.password + 1_000;
    await askFor(ada);
    expect(await madeFor(ada)).toHaveLength(3);
  });
});

test("a link that strangers void: it outlasts any number of wrong codes", async () => {
  await start();
  const { server } = parties;
  const { userId, ...person } = await parties.givenPerson();
  const link = new URL(await linkFor(parties, app, { userId, ...person }), server.url);
  const code = link.searchParams.get("code") ?? "";
  const hashing = jest.spyOn(server.passwords, "hashPassword");
  const before = await server.head();
  const send = async (shown: string, password: string) => {
    const body = new URLSearchParams({ userID: userId, code: shown, password });
    const { origin, pathname } = link;
    const answer = await fetch(origin + pathname, { method: "POST", body, headers: { origin } });
    return { status: answer.status, text: await answer.text() };
  };
  const told = new Set<string>();
  for (const wrong of ["", "x", code.slice(1), `${code}x`, code.toLowerCase(), userId]) {
    const opened = await parties.browser().open(`${link.pathname}?userID=${userId}&code=${wrong}`);
    expect([opened.status, heading(opened)]).toEqual([400, "This link is no longer valid"]);
    // A page that was opened lets people choose a language, and comes back to its link then.
    told.add(opened.text.replace(/<footer[\s\S]*<\/footer>\n/, ""));
    // Nor is the password looked at.
    for (const password of ["a better horse battery", "short"]) {
      told.add((await send(wrong, password)).text);
    }
  }
  expect([told.size, hashing.mock.calls.length]).toEqual([1, 0]);
  expect(await server.head()).toBe(before);
  expect((await send(code, "a better horse battery")).text).toContain("Your password was changed");
  const ranked = { kind: "strangers" as const, rank: 1 };
  expect(hashing.mock.calls).toEqual([["a better horse battery", { ranked }]]);
});
