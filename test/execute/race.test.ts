import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { org } from "../../src/domain/org.ts";
import { project, setUpProject } from "../../src/domain/project.ts";
import { addToken as addTokenAs } from "../../src/domain/user/credential/token.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { attemptsMax, createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { addToken, addUser, beforeAppend, nameOrg, recording, tokenAdded } from "./place.ts";

// CVE-2024-1722 and its like: what is decided is decided on what is there when it is written.

let place: SqlitePlace;
let store: Store;
/** Another process on the same file. */
let elsewhere: Execute;

beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open(projector);
  elsewhere = createExecute(await place.open(projector), Date.now);
});

afterEach(() => place.remove());

async function tokensOf(id: string): Promise<readonly string[]> {
  const [stored] = await store.load([`user-${id}`]);
  return Object.keys((JSON.parse(stored?.state ?? "") as UserState).tokens);
}

describe("commands of one process", () => {
  test("on one stream take turns: as many appends as commands, and no conflict", async () => {
    const { store: recorded, kinds } = recording(store);
    const execute = createExecute(recorded, Date.now);
    await addUser(execute, "u");
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const outcomes = await Promise.all(ids.map((id) => addToken(execute, "u", id)));

    expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => "done"));
    expect(kinds).toEqual(["appended", ...ids.map(() => "appended")]);
    const events = await store.readStream("user-u", 1, 100);
    // In the order in which they came.
    expect(events.map(({ payload }) => JSON.parse(payload).tokenId)).toEqual(ids);
  });

  test("on several streams wait for every one of them", async () => {
    const execute = createExecute(store, Date.now);
    await addUser(execute, "u");
    await addUser(execute, "v");
    const both = execute({
      actor: "x",
      writes: { u: { noun: user, id: "u" }, v: { noun: user, id: "v" } },
      relies: {},
      decide: () => ({ events: { u: [tokenAdded("both u")], v: [tokenAdded("both v")] } }),
    });
    const after = [addToken(execute, "v", "late v"), addToken(execute, "u", "late u")];
    await Promise.all([both, ...after]);
    expect(await tokensOf("u")).toEqual(["both u", "late u"]);
    expect(await tokensOf("v")).toEqual(["both v", "late v"]);
  });

  test("on different streams do not wait for one another", async () => {
    const released = Promise.withResolvers<void>();
    const holding = beforeAppend(store, async ({ changes }) => {
      if (changes[0]?.stream === "org-slow") await released.promise;
    });
    const execute = createExecute(holding, Date.now);
    const slow = nameOrg(execute, "slow", "Slow");
    const same = nameOrg(execute, "slow", "Slow too");
    const other = execute({
      actor: "x",
      writes: { project: { noun: project, id: "p", owner: "slow" } },
      // To rely on a stream is not to wait for one who writes it.
      relies: { org: { noun: org, id: "slow" } },
      decide: () => ({ events: { project: setUpProject("Shop") } }),
    });
    expect((await nameOrg(execute, "fast", "Fast")).kind).toBe("done");
    expect((await other).kind).toBe("done");
    expect((await store.load(["org-slow"]))[0]?.version).toBe(0);

    released.resolve();
    expect([(await slow).kind, (await same).kind]).toEqual(["done", "done"]);
    expect((await store.load(["org-slow"]))[0]?.version).toBe(2);
  });
});

describe("another process", () => {
  /** An execute whose first appends come after another process changed the user. */
  function overtaken(times: number, change: (nth: number) => Promise<unknown>) {
    let nth = 0;
    const { store: recorded, kinds } = recording(store);
    const late = beforeAppend(recorded, async () => {
      nth += 1;
      if (nth <= times) await change(nth);
    });
    return { execute: createExecute(late, Date.now), kinds };
  }

  const conflicts = (count: number) => Array.from({ length: count }, () => "version-conflict");

  test.each([
    ["once", 1],
    ["as often as there are attempts but one", attemptsMax - 1],
  ])("comes first %s: the command is decided anew", async (_, times) => {
    await addUser(elsewhere, "u");
    const other = (nth: number) => addToken(elsewhere, "u", `other ${nth}`);
    const { execute, kinds } = overtaken(times, other);
    const seen: number[] = [];
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u" } },
      relies: {},
      decide: (states) => {
        const count = Object.keys(states.user?.tokens ?? {}).length;
        seen.push(count);
        return { events: { user: [tokenAdded(`mine after ${count}`)] } };
      },
    });
    expect(outcome.kind).toBe("done");
    expect(seen).toEqual(Array.from({ length: times + 1 }, (_one, index) => index));
    expect(kinds).toEqual([...conflicts(times), "appended"]);
    expect((await tokensOf("u")).at(-1)).toBe(`mine after ${times}`);
  });

  test("comes first at every attempt: the command gives way and writes nothing", async () => {
    await addUser(elsewhere, "u");
    const other = (nth: number) => addToken(elsewhere, "u", `other ${nth}`);
    const { execute, kinds } = overtaken(attemptsMax, other);
    const lost = addToken(execute, "u", "mine");
    const next = addToken(execute, "u", "next");
    expect(await lost).toEqual({ kind: "conflict" });
    expect((await next).kind).toBe("done");
    expect(kinds).toEqual([...conflicts(attemptsMax), "appended"]);
    const others = Array.from({ length: attemptsMax }, (_, index) => `other ${index + 1}`);
    expect(await tokensOf("u")).toEqual([...others, "next"]);
  });

  test("begins the same stream: the command sees what it made", async () => {
    const { execute, kinds } = overtaken(1, () => nameOrg(elsewhere, "o", "Theirs"));
    const rejection = { reason: "NAME_TAKEN", message: "It is there." } as const;
    const outcome = await execute({
      actor: "x",
      writes: { org: { noun: org, id: "o", owner: "o" } },
      relies: {},
      decide: (states) =>
        states.org === undefined
          ? { events: { org: [{ type: "org.added" as const, payload: { name: "Mine" } }] } }
          : { events: {}, rejection },
    });
    expect(outcome).toEqual({ kind: "rejected", rejection });
    expect(kinds).toEqual(["version-conflict"]);
  });

  test("takes the name: the command is refused, and not decided anew", async () => {
    const { execute, kinds } = overtaken(1, () => nameOrg(elsewhere, "theirs", "Acme"));
    const outcome = await nameOrg(execute, "mine", "ACME");
    expect(outcome).toMatchObject({ kind: "rejected", rejection: { reason: "NAME_TAKEN" } });
    expect(kinds).toEqual(["claim-taken"]);
  });

  test("changes a stream to which another led: the command is decided anew", async () => {
    await addUser(elsewhere, "u");
    await addToken(elsewhere, "u", "t");
    await addUser(elsewhere, "maker of t");
    const { execute, kinds } = overtaken(1, () => addToken(elsewhere, "maker of t", "more"));
    const seen: (number | undefined)[] = [];
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u" } },
      leads(states) {
        const [id = ""] = Object.keys(states.user?.tokens ?? {});
        return { maker: { noun: user, id: `maker of ${id}` } };
      },
      decide(states) {
        seen.push(Object.keys(states.maker?.tokens ?? {}).length);
        return { events: { user: [tokenAdded("mine")] } };
      },
    });
    expect(outcome.kind).toBe("done");
    expect(seen).toEqual([0, 1]);
    expect(kinds).toEqual(["version-conflict", "appended"]);
  });

  describe("changes what the decision relied on", () => {
    const inHome = { level: "organization", organization: "org-1" } as const;
    const grant = (id: string) =>
      elsewhere({
        actor: "x",
        writes: { user: { noun: user, id } },
        relies: {},
        decide: () => ({
          events: {
            user: [
              {
                type: "user.membership.granted" as const,
                payload: { scope: inHome, roles: ["ORG_OWNER"] as const },
              },
            ],
          },
        }),
      });
    /** A token for `u` by the caller `c`, decided as the service does. */
    const tokenBy = (execute: Execute) =>
      execute({
        actor: "c",
        writes: { user: { noun: user, id: "u" } },
        relies: { caller: { noun: user, id: "c" } },
        decide: (states, nowMs) =>
          addTokenAs(states, { organization: "org-1", tokenId: "t", tokenHash: "h" }, nowMs),
      });

    beforeEach(async () => {
      await addUser(elsewhere, "u");
      await addUser(elsewhere, "c");
    });

    test("the user was promoted: who could act on it before cannot any more", async () => {
      const { execute, kinds } = overtaken(1, () => grant("u"));
      const outcome = await tokenBy(execute);
      expect(outcome).toMatchObject({ rejection: { reason: "ESCALATION_DENIED" } });
      expect(kinds).toEqual(["version-conflict"]);
      expect(await tokensOf("u")).toEqual([]);
    });

    test("the caller was promoted: who could not act on the user before can now", async () => {
      await grant("u");
      expect(await tokenBy(createExecute(store, Date.now))).toMatchObject({
        rejection: { reason: "ESCALATION_DENIED" },
      });
      await grant("c");
      const { execute, kinds } = overtaken(1, () => addToken(elsewhere, "c", "unrelated"));
      expect((await tokenBy(execute)).kind).toBe("done");
      expect(kinds).toEqual(["version-conflict", "appended"]);
    });

    test("at every attempt: the command gives way", async () => {
      const other = (nth: number) => addToken(elsewhere, "c", `other ${nth}`);
      const { execute, kinds } = overtaken(attemptsMax, other);
      expect(await tokenBy(execute)).toEqual({ kind: "conflict" });
      expect(kinds).toEqual(conflicts(attemptsMax));
      expect(await tokensOf("u")).toEqual([]);
    });
  });
});

test("a stream that is written and relied on at once is no conflict with itself", async () => {
  const { store: recorded, kinds } = recording(store);
  const execute = createExecute(recorded, Date.now);
  await addUser(execute, "u");
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      execute({
        actor: "u",
        writes: { user: { noun: user, id: "u" } },
        relies: { caller: { noun: user, id: "u" } },
        decide: () => ({ events: { user: [tokenAdded(`${index}`)] } }),
      }),
    ),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "done"));
  expect(kinds).toEqual(Array.from({ length: 11 }, () => "appended"));
});
