import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import type { HumanState } from "../../src/domain/user/state/login-state.ts";
import type { FoundUser } from "../../src/provider/base/rows.ts";
import { createGuess, guessLimits, type Typist } from "../../src/provider/login/guesses.ts";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import type { Waits } from "../../src/secrets/passwords/threads.ts";
import { createRandom } from "../../src/secrets/random.ts";
import { few, inFull } from "../harness/in-full.ts";

// Passwords typed in browsers that are known: none of their persons keeps others waiting.

const row = "a line that a few accounts fill";
const hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
const typed = { password: "password", hash };

const made: Passwords[] = [];
afterEach(() => Promise.all(made.splice(0).map((one) => one.close())));

function guessWith(waitingMax: number) {
  const random = createRandom(randomBytes);
  const passwords = createPasswords({ random, concurrency: 1, waitingMax });
  made.push(passwords);
  return createGuess({ passwords, now: () => 0 });
}

/** A person in one of the browsers that it has logged in with. */
function knownAt(address: string | undefined, userId: string, nth = 0): Typist {
  const browsers = Array.from({ length: loginLimits.browsers }, (_, i) => `${userId} ${i}`);
  const login = { failures: 0, sinceMs: 0, sessions: [], browsers, consents: [] };
  const found = { userId, state: { human: { login } as Partial<HumanState> } } as FoundUser;
  return { found, browser: `${userId} ${nth}`, address };
}

const strangersAt = (addresses: readonly string[]): readonly Typist[] =>
  addresses.map((address) => ({ found: undefined, address }));

/** How many were compared, and how many refused. */
async function outcomes(asked: readonly Promise<unknown>[]): Promise<readonly [number, number]> {
  const settled = await Promise.allSettled(asked);
  const refused = settled.filter(({ status }) => status === "rejected");
  for (const one of refused) {
    expect(one).toMatchObject({ reason: { name: "HashingOverloaded" } });
  }
  return [settled.length - refused.length, refused.length];
}

const strangers = strangersAt(["203.0.113.1", "203.0.114.1", "2001:db8:1:1::/64"]);
const others = [knownAt("203.0.113.2", "ada"), knownAt("2001:db8:2:1::/64", "bob")];
const perPerson = guessLimits.ofPerson + guessLimits.waitingOfPerson;

describe(`${row}:`, () => {
  // Of 20 that wait, one is with the thread, and nine may be of strangers.
  few().each([
    ["three at one address", 3, () => "192.0.2.1"],
    ["ten at one address", 10, () => "192.0.2.1"],
    ["ten of one /48", 10, (nth: number) => `2001:db8:9:${nth.toString(16)}::/64`],
    ["five at as many addresses", 5, (nth: number) => `192.0.${nth}.1`],
  ] as const)("%s keep no new browser out", async (_, people, at) => {
    const guess = guessWith(20);
    const full = Array.from({ length: people * 36 }, (_one, i) =>
      guess(knownAt(at(i % people), `mallory ${i % people}`, i % 18), { ...typed, password: "x" }),
    );
    expect(await outcomes(strangers.map((by) => guess(by, typed)))).toEqual([3, 0]);
    await outcomes(full);
  });

  few().each([
    ["at one address", () => "192.0.2.1"],
    ["of one /48", (nth: number) => `2001:db8:9:${nth.toString(16)}::/64`],
  ] as const)("nor the known browsers of others, where they are %s", async (_, at) => {
    const guess = guessWith(20);
    const full = Array.from({ length: 10 * 36 }, (_one, i) =>
      guess(knownAt(at(i % 10), `mallory ${i % 10}`, i % 18), { ...typed, password: "x" }),
    );
    expect(await outcomes(others.map((by) => guess(by, typed)))).toEqual([2, 0]);
    await outcomes(full);
  });

  few().each([
    ["26 addresses with two accounts each, right", 26, 2, "password"],
    ["26 addresses with two accounts each, wrong", 26, 2, "x"],
    ["200 addresses with an account each", 200, 1, "password"],
    ["one address with 52 accounts", 1, 52, "password"],
  ] as const)("nor those of others, where there are %s", async (_, at, accounts, password) => {
    const guess = guessWith(20);
    let asked = 0;
    // Each time in other browsers: it is the person that counts.
    const ask = () =>
      Array.from({ length: at * accounts }, (_one, i) =>
        guess(knownAt(`198.51.${i % at}.1`, `mallory ${i}`, asked++ % 18), { ...typed, password }),
      );
    await outcomes(ask());
    const full = outcomes([...ask(), ...ask()]);
    expect(await outcomes(others.map((by) => guess(by, typed)))).toEqual([2, 0]);
    expect(await outcomes(strangers.map((by) => guess(by, typed)))).toEqual([3, 0]);
    await full;
  });

  test("nor those of persons whose names somebody else tries", async () => {
    const guess = guessWith(20);
    const ada = knownAt("203.0.113.2", "ada");
    const { browser: _known, ...unknown } = { ...ada, address: "192.0.2.1" };
    for (let i = 0; i < 3; i += 1) await guess(unknown, { ...typed, password: "x" });
    const ask = () =>
      Array.from({ length: 52 }, (_one, i) =>
        guess(knownAt(`198.51.${i % 26}.1`, `mallory ${i}`), typed),
      );
    await outcomes(ask());
    const full = outcomes(ask());
    expect(await outcomes([guess(ada, typed)])).toEqual([1, 0]);
    await full;
  });

  inFull("nor do 18 browsers of one person at as many addresses", async () => {
    const guess = guessWith(10);
    const full = Array.from({ length: 36 }, (_one, i) =>
      guess(knownAt(`192.0.${i % 18}.1`, "mallory", i % 18), { ...typed, password: "x" }),
    );
    expect(await outcomes(others.map((by) => guess(by, typed)))).toEqual([2, 0]);
    await outcomes(full);
  });

  test.each([
    ["compared", (guess: Guess, by: Typist) => guess(by, typed)],
    ["hashed", (guess: Guess, by: Typist) => guess.hash(by, "a better horse battery")],
  ] as const)(
    "so many of a person are %s in front of strangers, and not one more",
    async (_, ask) => {
      const { guess, ranks } = watched(() => false);
      const most = guessLimits.wrongOfPerson;
      for (let i = 0; i <= most; i += 1) {
        await ask(guess, knownAt("192.0.2.1", "mallory", i % loginLimits.browsers));
      }
      expect(ranks.slice(0, most)).toEqual(Array(most).fill(undefined));
      expect(ranks.slice(most)).toEqual([1]);
      await ask(guess, knownAt("192.0.2.1", "ada"));
      expect(ranks.at(-1)).toBeUndefined();
    },
  );

  test("right ones are, however many there are", async () => {
    const { guess, ranks } = watched(() => true);
    const by = knownAt("192.0.2.1", "ada");
    for (let i = 0; i <= guessLimits.wrongOfPerson; i += 1) {
      await guess(by, typed);
      await guess.rehash(by, "correct horse");
    }
    expect(new Set(ranks)).toEqual(new Set([undefined]));
  });

  few().each([
    [
      "one person",
      (i: number) => knownAt(`192.0.${i}.1`, "mallory", i % loginLimits.browsers),
      perPerson,
    ],
    [
      "one address",
      (i: number) => knownAt("192.0.2.1", `person ${i}`),
      guessLimits.ofKnown + guessLimits.waitingOfKnown,
    ],
    [
      "one /48 of IPv6",
      (i: number) => knownAt(`2001:db8:9:${i.toString(16)}::/64`, `person ${i}`),
      guessLimits.ofKnown + guessLimits.waitingOfKnown,
    ],
    [
      "this machine",
      (i: number) => knownAt(undefined, `person ${i}`),
      guessLimits.ofMachine + guessLimits.waitingOfMachine,
    ],
  ] as const)("of %s so many wait, and not one more", async (_, by, most) => {
    const guess = guessWith(1_000);
    const asked = Array.from({ length: most + 1 }, (_one, i) => guess(by(i), typed));
    const parts = [asked.slice(0, most), asked.slice(most)];
    expect(await Promise.all(parts.map(outcomes))).toEqual([
      [most, 0],
      [0, 1],
    ]);
  });
});

type Guess = ReturnType<typeof createGuess>;

/** Compares nothing, and remembers the ranks of strangers. */
function watched(isRight: () => boolean) {
  const ranks: (number | undefined)[] = [];
  const note = ({ ranked }: Waits = {}) =>
    void ranks.push(ranked?.kind === "strangers" ? ranked.rank : undefined);
  const passwords = {
    verifyPassword: async (...[, , waits]: Parameters<Passwords["verifyPassword"]>) => {
      note(waits);
      return isRight();
    },
    hashPassword: async (...[, waits]: Parameters<Passwords["hashPassword"]>) => {
      note(waits);
      return hash;
    },
  };
  const guess = createGuess({ passwords: passwords as Passwords, now: () => 0 });
  return { guess, ranks };
}

describe("a line that many addresses fill: a rank there", () => {
  const [by] = strangersAt(["192.0.2.1"]) as [Typist];

  test("does not grow by right passwords whose hashes are made anew", async () => {
    const { guess, ranks } = watched(() => true);
    for (let i = 0; i < 40; i += 1) {
      await guess(by, typed);
      await guess.rehash(by, "correct horse");
    }
    expect(new Set(ranks)).toEqual(new Set([1]));
  });

  test("grows by one with each of a /48 of IPv6, whichever network there it is of", async () => {
    const { guess, ranks } = watched(() => false);
    const of = strangersAt(["2001:db8:9:1::/64", "2001:db8:9:200::/64", "2001:db8:a:1::/64"]);
    for (const one of of) await guess(one, typed);
    expect(ranks).toEqual([1, 2 + 1 / guessLimits.weight, 1 + 2 / guessLimits.weight]);
  });

  test("grows by one with each that is wrong or new, and by less with those nearby", async () => {
    const { guess, ranks } = watched(() => false);
    await guess(by, typed);
    await guess.hash(by, "a better horse battery");
    const { weight } = guessLimits;
    for (const one of strangersAt(["192.0.2.2", "192.0.3.1"])) await guess(one, typed);
    expect(ranks).toEqual([1, 2 + 1 / weight, 1 + 2 / weight, 1]);
    for (let i = 3; i <= weight; i += 1) await guess(strangersAt([`192.0.2.${i}`])[0]!, typed);
    expect(ranks.at(-1)).toBe(2);
  });
});
