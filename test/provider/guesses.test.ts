import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import type { HumanState } from "../../src/domain/user/state/login-state.ts";
import type { FoundUser } from "../../src/provider/base/rows.ts";
import { changePassword } from "../../src/provider/login/change.ts";
import { createGuess, guessLimits } from "../../src/provider/login/guesses.ts";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createRandom } from "../../src/secrets/random.ts";
import { few, inFull } from "../harness/in-full.ts";

// Passwords of strangers, many at once. One thread compares: one is at work, the next is with it.

const hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
const typed = { password: "password", hash };
const withThread = 2;

let nowMs = 0;
const made: Passwords[] = [];
afterEach(() => Promise.all(made.splice(0).map((one) => one.close())));

function guessWith(waitingMax: number) {
  const passwords = createPasswords({
    ...{ random: createRandom(randomBytes), concurrency: 1, waitingMax },
  });
  made.push(passwords);
  return createGuess({ passwords, now: () => nowMs });
}

const browser = "known";
const login = { failures: 0, sinceMs: 0, sessions: [], browsers: [browser], consents: [] };
const person = { userId: "ada", state: { human: { login } as Partial<HumanState> } } as FoundUser;

const strangerAt = (address: string | undefined) => ({ found: undefined, address });
const known = { found: person, browser, address: "192.0.2.1" };

/** How many were compared, and how many refused. */
async function outcomes(asked: readonly Promise<boolean>[]): Promise<readonly [number, number]> {
  const settled = await Promise.allSettled(asked);
  for (const one of settled) {
    if (one.status === "rejected") expect(one.reason).toMatchObject({ name: "HashingOverloaded" });
    else expect(one.value).toBe(true);
  }
  const refused = settled.filter(({ status }) => status === "rejected").length;
  return [settled.length - refused, refused];
}

describe("a line that many addresses fill:", () => {
  /** Of the places before the one thread, as many are for strangers. */
  const places = 10;
  const takenAtOnce = withThread + places;
  const wrong = { ...typed, password: "wrong" };
  // Each is of another network.
  const newcomers = [1, 2, 3].map((nth) => strangerAt(`203.0.${nth}.1`));
  const v4 = (nth: number) => `198.51.${nth}.1`;
  /** Of each site, another network each time. */
  const v6 = (nth: number, time: number) => `2001:db8:${nth.toString(16)}:${time}::/64`;

  /** Asks for each of the addresses so many times. */
  const asking = <Asked>(addresses: number, times: number, ask: (...nth: number[]) => Asked) =>
    Array.from({ length: addresses * times }, (_, i) => ask(1 + (i % addresses), i));

  few().each([
    ["IPv4, with wrong passwords", v4, "guess"],
    ["/48 of IPv6, each time of another network there", v6, "guess"],
    ["IPv4, with passwords that replace others", v4, "hash"],
  ] as const)("of those that had a turn, none keeps a new one out: %s", async (_, at, kind) => {
    const guess = guessWith(1 + 2 * places);
    const ask = (nth = 0, time = 0) => {
      const by = strangerAt(at(nth, time));
      if (kind === "guess") return guess(by, wrong).then((isRight) => !isRight);
      return guess.hash(by, "another password").then(() => true);
    };
    const first = asking(takenAtOnce, 1, ask);
    expect(await outcomes(first)).toEqual([takenAtOnce, 0]);
    const again = asking(takenAtOnce, 2, ask);
    const others = newcomers.map((by) => guess(by, typed));
    const done: string[] = [];
    for (const one of again) one.then(() => done.push("again")).catch(() => {});
    for (const one of others) one.then(() => done.push("new")).catch(() => {});
    expect(await Promise.all([others, again].map(outcomes))).toEqual([
      [newcomers.length, 0],
      [takenAtOnce - newcomers.length, takenAtOnce + newcomers.length],
    ]);
    // They come next, too. Those with the thread may end in any order.
    expect(done.lastIndexOf("new")).toBeLessThan(newcomers.length + 2 * withThread);
  });

  test("nor one where many logged in of late, or whose passwords were not compared", async () => {
    const guess = guessWith(1 + 2 * places);
    const [office] = newcomers;
    for (let i = 0; i < 5; i += 1) expect(await guess(office!, typed)).toBe(true);
    const ask = (nth = 0) => guess(strangerAt(v4(nth)), wrong).then((isRight) => !isRight);
    // Of equals those that came first are compared.
    const first = asking(takenAtOnce, 1, ask);
    const refused = newcomers.map((by) => guess(by, typed));
    expect(await Promise.all([first, refused].map(outcomes))).toEqual([
      [takenAtOnce, 0],
      [0, newcomers.length],
    ]);
    const again = asking(takenAtOnce, 2, ask);
    expect(await outcomes(newcomers.map((by) => guess(by, typed)))).toEqual([3, 0]);
    await outcomes(again);
  });

  few().each([
    ["of one /24", (nth: number) => `198.51.100.${nth}`],
    ["of one /32 of IPv6", (nth: number) => `2001:db8:${nth.toString(16)}:1::/64`],
  ])("new addresses %s keep out nobody who is of another network", async (_, at) => {
    const guess = guessWith(1 + 2 * places);
    const ask = (nth = 0) => guess(strangerAt(at(nth)), wrong).then((isRight) => !isRight);
    const all = asking(200, 1, ask);
    // There, the first try of one precedes the second of another all the same.
    const later = guess(strangerAt(at(1)), typed);
    expect(await outcomes(newcomers.map((by) => guess(by, typed)))).toEqual([3, 0]);
    expect(await outcomes([...all, later])).toEqual([takenAtOnce - 3, 201 - takenAtOnce + 3]);
    for (let nth = 1; nth <= 5; nth += 1) await outcomes(asking(takenAtOnce, 1, ask));
    const again = asking(takenAtOnce, 1, ask);
    expect(await outcomes([guess(strangerAt(at(250)), typed)])).toEqual([1, 0]);
    await outcomes(again);
  });

  test("what was compared is forgotten after a quarter of an hour", async () => {
    const guess = guessWith(1 + 2 * places);
    const ask = (nth = 0) => guess(strangerAt(v4(nth)), wrong).then((isRight) => !isRight);
    await outcomes(asking(takenAtOnce, 1, ask));
    for (const [laterMs, taken] of [
      [loginLimits.lockedMs - 1, 3],
      [1, 0],
    ] as const) {
      nowMs += laterMs;
      const again = asking(takenAtOnce, 1, ask);
      const others = newcomers.map((by) => guess(by, typed));
      expect(await outcomes(others)).toEqual([taken, 3 - taken]);
      await outcomes(again);
    }
  });
});

describe("guesses that come at once", () => {
  test("of one address wait for each other, and take few of the places", async () => {
    // Of seven that may wait, one is with the thread; half of the others are for strangers.
    const guess = guessWith(7);
    const one = Array.from({ length: 30 }, () => guess(strangerAt("192.0.2.1"), typed));
    const others = ["192.0.2.2", "192.0.2.3", "192.0.2.4"].map((at) =>
      guess(strangerAt(at), typed),
    );
    expect(await Promise.all([others, one].map(outcomes))).toEqual([
      [3, 0],
      [30, 0],
    ]);
  });

  test("of many addresses leave a part to known browsers", async () => {
    const guess = guessWith(7);
    const strangers = Array.from({ length: 30 }, (_, i) =>
      guess(strangerAt(`192.0.2.${i}`), typed),
    );
    const others = [known, known, known].map((by) => guess(by, typed));
    expect(await Promise.all([others, strangers].map(outcomes))).toEqual([
      [3, 0],
      [withThread + 3, 30 - withThread - 3],
    ]);
  });

  test("of one address keep no known browser there waiting", async () => {
    const guess = guessWith(200);
    const { ofAddress, waitingOfAddress } = guessLimits;
    const full = Array.from({ length: ofAddress + waitingOfAddress }, () =>
      guess(strangerAt(known.address), typed),
    );
    const first = await Promise.race([guess(known, typed).then(() => "known"), full.at(-1)]);
    expect(first).toBe("known");
    await Promise.all(full);
  });

  inFull("of one /56 and of one known browser leave places to others", async () => {
    const guess = guessWith(40);
    const ofSubscriber = Array.from({ length: 60 }, (_, nth) =>
      guess(strangerAt(`2001:db8:1:${(0x100 + nth).toString(16)}::/64`), typed),
    );
    const ofBrowser = Array.from({ length: 12 }, () => guess(known, typed));
    // Those that replace one wait in the same places.
    const hashed = guess.hash(known, "another password");
    await expect(hashed).rejects.toMatchObject({ name: "HashingOverloaded" });
    const others = ["192.0.2.7", "2001:db8:2:1::/64"].map((at) => guess(strangerAt(at), typed));
    expect(await Promise.all([others, ofBrowser, ofSubscriber].map(outcomes))).toEqual([
      [2, 0],
      [12, 0],
      [60, 0],
    ]);
  });

  inFull("of a person who sends the same one again and again wait, too", async () => {
    const guess = guessWith(200);
    const [passwords] = made;
    const password = "a better horse battery";
    const named = {
      email: "ada@example.com",
      firstName: "A",
      lastName: "L",
      nickName: "",
      displayName: "A L",
    };
    const human = { login, ...named, passwordHash: await guess.hash(known, password) };
    const found = { userId: "ada", state: { userName: "ada", human } } as unknown as FoundUser;
    const execute = () => Promise.reject(new Error("nothing is changed"));
    const site = { guess, passwords, execute };
    const most = guessLimits.ofBrowser + guessLimits.waitingOfBrowser;
    const sent = Array.from({ length: most + 1 }, async () => {
      const changed = await changePassword(site, { ...known, found }, password);
      return "wrong" in changed && changed.wrong === "same";
    });
    expect(await outcomes(sent)).toEqual([most, 1]);
  });

  inFull("of this machine wait, too, and a right one with them", async () => {
    const guess = guessWith(200);
    const wrong = Array.from({ length: 300 }, () =>
      guess(strangerAt(undefined), { ...typed, password: "wrong" }),
    );
    const right = [1, 2, 3, 4].map(() => guess(strangerAt(undefined), typed));
    expect(await outcomes(right)).toEqual([4, 0]);
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([false]));
  });

  few().each([
    ["one address", "192.0.2.1", guessLimits.ofAddress + guessLimits.waitingOfAddress],
    ["this machine", undefined, guessLimits.ofMachine + guessLimits.waitingOfMachine],
    ["one known browser", known, guessLimits.ofBrowser + guessLimits.waitingOfBrowser],
    [
      "one /56 of IPv6",
      (nth: number) => `2001:db8:1:${(0x100 + (nth % 256)).toString(16)}::/64`,
      guessLimits.ofSubscriber + guessLimits.waitingOfSubscriber,
    ],
    [
      "one /48 of IPv6",
      (nth: number) => `2001:db8:1:${(nth * 0x90).toString(16)}::/64`,
      guessLimits.ofSite + guessLimits.waitingOfSite,
    ],
  ])("of %s are so many, and not one more", async (_, who, most) => {
    const guess = guessWith(1_000);
    const by = (nth: number) =>
      typeof who === "object" ? who : strangerAt(typeof who === "function" ? who(nth) : who);
    const asked = Array.from({ length: most + 1 }, (_one, nth) => guess(by(nth), typed));
    const parts = [asked.slice(0, most), asked.slice(most)];
    expect(await Promise.all(parts.map(outcomes))).toEqual([
      [most, 0],
      [0, 1],
    ]);
  });
});
