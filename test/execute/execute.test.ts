import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { org } from "../../src/domain/org.ts";
import { project, setUpProject } from "../../src/domain/project.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import {
  addApp,
  added,
  addProject,
  addToken,
  addUser,
  named,
  nameOrg,
  recording,
  tokenAdded,
  writtenIn,
} from "./place.ts";

const start = 1_700_000_000_123;

let place: SqlitePlace;
let store: Store;
let clock: number;
let execute: Execute;
/** What each append came to. */
let kinds: readonly string[];

beforeEach(async () => {
  place = await sqlitePlace();
  clock = start;
  ({ store, kinds } = recording(await place.open(projector)));
  execute = createExecute(store, () => clock);
});

afterEach(() => place.remove());

async function typesOf(stream: string): Promise<readonly string[]> {
  return (await store.readStream(stream, 0, 1_000)).map(({ type }) => type);
}

describe("what a command is answered", () => {
  test("for a new stream, one that exists, and several in the order of the writes", async () => {
    await nameOrg(execute, "o", "Acme");
    clock = start + 1;
    expect(writtenIn(await addUser(execute, "u"))).toMatchObject([
      { owner: "org-1", createdMs: start + 1, changedMs: start + 1, position: 2n },
    ]);
    clock = start + 5;
    const both = await execute({
      actor: "u",
      writes: {
        project: { noun: project, id: "p", owner: "o" },
        // An owner is for streams that begin: one that exists keeps its own.
        user: { noun: user, id: "u", owner: "somebody else" },
        untouched: { noun: user, id: "v", owner: "o" },
      },
      relies: { org: { noun: org, id: "o" } },
      decide: () => ({
        events: { user: [tokenAdded("1"), tokenAdded("2")], project: setUpProject("Shop") },
      }),
    });
    expect(writtenIn(both)).toEqual([
      {
        ...{ stream: "project-p", version: 1, position: 3n },
        ...{ owner: "o", createdMs: start + 5, changedMs: start + 5 },
        events: setUpProject("Shop"),
      },
      {
        ...{ stream: "user-u", version: 3, position: 5n },
        ...{ owner: "org-1", createdMs: start + 1, changedMs: start + 5 },
        events: [tokenAdded("1"), tokenAdded("2")],
      },
    ]);
    expect(await store.readAll(2n, 10)).toMatchObject([
      { position: 3n, stream: "project-p", version: 1, owner: "o", actor: "u", timeMs: start + 5 },
      { position: 4n, stream: "user-u", version: 2, owner: "org-1", actor: "u", timeMs: start + 5 },
      { position: 5n, stream: "user-u", version: 3, owner: "org-1", actor: "u", timeMs: start + 5 },
    ]);
  });

  test("for no events: done, with nothing written", async () => {
    const writes = { user: { noun: user, id: "u" } };
    for (const events of [{}, { user: [] }]) {
      const outcome = await execute({ actor: "x", writes, relies: {}, decide: () => ({ events }) });
      expect(outcome).toEqual({ kind: "done", written: [] });
    }
    expect(kinds).toEqual([]);
  });

  test("for no events of which something is to be answered: a defect", async () => {
    const writes = { user: { noun: user, id: "u" } };
    const command = { actor: "x", writes, relies: {}, decide: () => ({ events: {} }) };
    await expect(execute({ ...command, answer: () => "done" })).rejects.toThrow(TypeError);
  });

  test("for a refusal: the refusal, with nothing written", async () => {
    const rejection = { reason: "TOKEN_NOT_FOUND", message: "No." } as const;
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u", owner: "o" } },
      relies: {},
      decide: () => ({ events: {}, rejection }),
    });
    expect(outcome).toEqual({ kind: "rejected", rejection });
    expect(kinds).toEqual([]);
  });

  test("for a refusal that leaves events: the refusal, with the events on disk", async () => {
    const rejection = { reason: "TOKEN_NOT_FOUND", message: "No, and that is noted." } as const;
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u", owner: "o" } },
      relies: {},
      decide: () => ({ events: { user: [added("u")] }, rejection }),
    });
    expect(outcome).toEqual({ kind: "rejected", rejection });
    expect(await typesOf("user-u")).toEqual(["user.machine.added"]);
  });
});

describe("what a decision is given", () => {
  test("the states by name, what is not there as undefined, and the time", async () => {
    await nameOrg(execute, "o", "Acme");
    clock = start + 7;
    const given: unknown[] = [];
    await execute({
      actor: "x",
      writes: { project: { noun: project, id: "p" } },
      relies: { org: { noun: org, id: "o" }, user: { noun: user, id: "u" } },
      decide: (states, nowMs) => {
        given.push(states, nowMs);
        return { events: {} };
      },
    });
    expect(given).toEqual([
      { project: undefined, org: { name: "Acme" }, user: undefined },
      start + 7,
    ]);
  });

  test("the same stream under two names, which it may write and rely on at once", async () => {
    await addUser(execute, "u");
    const outcome = await execute({
      actor: "u",
      writes: { user: { noun: user, id: "u" } },
      relies: { caller: { noun: user, id: "u" } },
      decide: (states) => {
        expect(states.caller).toEqual(states.user);
        return { events: { user: [tokenAdded("1")] } };
      },
    });
    expect(writtenIn(outcome)).toHaveLength(1);
    expect(kinds).toEqual(["appended", "appended"]);
  });

  test("what a replay would find: payloads as JSON and back", async () => {
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u", owner: "o" } },
      relies: {},
      decide: () => ({
        events: {
          user: [added("u"), tokenAdded("__proto__", "h"), tokenAdded("1", "i")],
        },
      }),
    });
    expect(outcome.kind).toBe("done");
    const [stored] = await store.load(["user-u"]);
    const { tokens } = JSON.parse(stored?.state ?? "") as UserState;
    expect(Object.entries(tokens)).toEqual([
      ["1", { tokenHash: "i", maker: "x", addedMs: start }],
      ["__proto__", { tokenHash: "h", maker: "x", addedMs: start }],
    ]);
  });
});

describe("claims", () => {
  const names: readonly (readonly [string, (id: string, name: string) => Promise<unknown>])[] = [
    ["organization of this instance", (id, name) => nameOrg(execute, id, name)],
    ["user of this instance", (id, name) => addUser(execute, id, name)],
    ["project of this organization", (id, name) => addProject(execute, id, name, "o")],
    ["application of this project", (id, name) => addApp(execute, id, name, "p", id)],
  ];

  test.each(names)("another %s is refused the name, in whatever case", async (others, add) => {
    expect(await add("1", "Straße")).toMatchObject({ kind: "done" });
    for (const name of ["Straße", "STRAßE", "straße"]) {
      expect(await add("2", name)).toEqual({
        kind: "rejected",
        rejection: {
          reason: "NAME_TAKEN",
          message: `Another ${others} has this name (ignoring case). Choose a different one.`,
        },
      });
    }
    expect(await add("2", "STRASSE")).toMatchObject({ kind: "done" });
    expect(kinds).toEqual(["appended", "claim-taken", "claim-taken", "claim-taken", "appended"]);
  });

  test.each(names)("of two that want to be the same %s, one is", async (_, add) => {
    const outcomes = await Promise.all([add("1", "Same"), add("2", "same"), add("3", "SAME")]);
    expect(outcomes).toMatchObject([
      { kind: "done" },
      { kind: "rejected", rejection: { reason: "NAME_TAKEN" } },
      { kind: "rejected", rejection: { reason: "NAME_TAKEN" } },
    ]);
  });

  test("names count in their own scope only", async () => {
    const outcomes = [
      await addProject(execute, "1", "Same", "o"),
      await addProject(execute, "2", "Same", "other"),
      await addApp(execute, "1", "Same", "p", "c1"),
      await addApp(execute, "2", "Same", "q", "c2"),
      await nameOrg(execute, "1", "Same"),
      await addUser(execute, "1", "Same"),
    ];
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "done"));
  });

  test("a fresh value that is taken already is a defect, and leaves nothing", async () => {
    await addUser(execute, "u");
    await addToken(execute, "u", "1", "the same hash");
    await addUser(execute, "v");
    const collision = addToken(execute, "v", "2", "the same hash");
    await expect(collision).rejects.toThrow("a fresh value of the kind user.token was held");
    expect(await typesOf("user-v")).toEqual(["user.machine.added"]);
    expect(await addToken(execute, "v", "2", "another hash")).toMatchObject({ kind: "done" });
  });

  test("a value that a stream gave up is free for others, in the same command too", async () => {
    await addUser(execute, "u");
    await addToken(execute, "u", "1", "hash");
    const outcome = await execute({
      actor: "x",
      writes: { to: { noun: user, id: "v", owner: "o" }, from: { noun: user, id: "u" } },
      relies: {},
      decide: () => ({
        events: {
          to: [added("v"), tokenAdded("1", "hash")],
          from: [{ type: "user.token.removed" as const, payload: { tokenId: "1" } }],
        },
      }),
    });
    expect(outcome.kind).toBe("done");
    expect(await store.find({ kind: "user.token", scope: "", value: "hash" })).toBe("user-v");
  });
});

describe("a command that cannot be carried out", () => {
  test("because nobody owns its new stream", async () => {
    const command = addToken(execute, "nobody", "1");
    await expect(command).rejects.toThrow("no owner was given for the new user-nobody");
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  test("because its decision throws, does not hold up the next one", async () => {
    const broken = execute({
      actor: "x",
      writes: { org: { noun: org, id: "o", owner: "o" } },
      relies: {},
      decide: () => {
        throw new RangeError("a defect of the test");
      },
    });
    const next = nameOrg(execute, "o", "Acme");
    await expect(broken).rejects.toThrow("a defect of the test");
    expect(await next).toMatchObject({ kind: "done" });
  });

  test("because its event is unknown to the noun, writes nothing", async () => {
    const command = execute({
      actor: "x",
      writes: { org: { noun: org, id: "o", owner: "o" } },
      relies: {},
      decide: () => ({ events: { org: [{ ...named("x"), type: "org.vanished" as never }] } }),
    });
    await expect(command).rejects.toThrow("org.vanished");
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  test("because the store is gone, says so", async () => {
    await store.close();
    await expect(nameOrg(execute, "o", "Acme")).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
