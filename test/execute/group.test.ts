import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { app, appsOf } from "../../src/domain/app/app.ts";
import { project } from "../../src/domain/project.ts";
import { groupMax } from "../../src/execute/command.ts";
import { attemptsMax, createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { inFull } from "../harness/in-full.ts";
import { removeProject } from "../harness/project.ts";
import { listed } from "../store/fixture.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { addApp, addProject, beforeAppend, recording, writtenIn } from "./place.ts";

// A command on all streams that hold claims of a kind in a scope: a project with its applications.

let place: SqlitePlace;
let store: Store;
let execute: Execute;
/** Another process on the same file. */
let elsewhere: Execute;
/** What each append came to. */
let kinds: readonly string[];

beforeEach(async () => {
  place = await sqlitePlace();
  ({ store, kinds } = recording(await place.open(projector)));
  execute = createExecute(store, Date.now);
  elsewhere = createExecute(await place.open(projector), Date.now);
});

afterEach(() => place.remove());

const removed = { type: "project.application.removed", payload: {} } as const;

/** Removes the project as the service does a user with its metadata. */
function remove(by: Execute, id: string) {
  return by({
    actor: "x",
    writes: { project: { noun: project, id } },
    relies: {},
    groups: { apps: { noun: app, ...appsOf(id) } },
    decide: (states) => removeProject(states, { organization: "o" }),
  });
}

async function givenApps(projectId: string, ids: readonly string[]): Promise<void> {
  await addProject(elsewhere, projectId, projectId, "o");
  await Promise.all(ids.map((id) => addApp(elsewhere, id, id, projectId, id)));
}

function removeApp(by: Execute, id: string) {
  return by({
    actor: "x",
    writes: { app: { noun: app, id } },
    relies: {},
    decide: () => ({ events: { app: [removed] } }),
  });
}

/** Counts what the decision is given, and writes to the project alone. */
function counting(by: Execute, id: string, seen: number[]) {
  return by({
    actor: "x",
    writes: { project: { noun: project, id } },
    relies: {},
    groups: { apps: { noun: app, ...appsOf(id) } },
    decide: ({ apps }) => {
      seen.push(apps);
      return { events: { project: [{ type: "project.deactivated" as const, payload: {} }] } };
    },
  });
}

async function factsAfter(position: bigint) {
  const events = await store.readAll(position, 10_000);
  return events.map(({ stream, type }) => [stream, type]);
}

async function appsLeft(id: string) {
  const { total } = await store.holders(appsOf(id), 0);
  const page = await listed(store, { kind: "app", parents: [id], offset: 0, limit: 1 });
  return { held: total, listed: page.total };
}

describe("what a decision is given", () => {
  test.each([[[]], [["a"]], [["a", "b", "c"]]])("is how many there are of %j", async (ids) => {
    await givenApps("p", ids);
    await givenApps("other", ["1", "2"]);
    const seen: number[] = [];
    expect(writtenIn(await counting(execute, "p", seen))).toHaveLength(1);
    expect(seen).toEqual([ids.length]);
  });

  test("does not count what is removed", async () => {
    await givenApps("p", ["a", "b"]);
    await removeApp(elsewhere, "a");
    const seen: number[] = [];
    await counting(execute, "p", seen);
    expect(seen).toEqual([1]);
  });
});

describe("what a decision records for a group", () => {
  test("is recorded for every member, before what it records for its own streams", async () => {
    await givenApps("p", ["c", "a", "b"]);
    await givenApps("other", ["d"]);
    const { position } = await store.head();
    const written = writtenIn(await remove(execute, "p"));
    expect(await factsAfter(position)).toEqual([
      ["app-c", removed.type],
      ["app-a", removed.type],
      ["app-b", removed.type],
      ["project-p", "project.removed"],
    ]);
    // The answer is about the command's own stream.
    expect(written).toMatchObject([{ owner: "o", position: position + 4n }]);
    expect(await appsLeft("p")).toEqual({ held: 0, listed: 0 });
    expect(await appsLeft("other")).toEqual({ held: 1, listed: 1 });
  });

  test("is nothing where nobody is in it", async () => {
    await givenApps("p", []);
    const { position } = await store.head();
    expect(writtenIn(await remove(execute, "p"))).toHaveLength(1);
    expect(await factsAfter(position)).toEqual([["project-p", "project.removed"]]);
  });

  test("may be all that it records", async () => {
    await givenApps("p", ["a"]);
    const outcome = await execute({
      actor: "x",
      writes: {},
      relies: {},
      groups: { apps: { noun: app, ...appsOf("p") } },
      decide: () => ({ events: { apps: [removed] } }),
    });
    expect(outcome).toEqual({ kind: "done", written: [] });
    expect(await appsLeft("p")).toEqual({ held: 0, listed: 0 });
  });

  inFull(
    "fits one append where there are as many as may be, and is a defect past that",
    async () => {
      const ids = Array.from({ length: groupMax }, (_, index) => `${index}`);
      await givenApps("p", ids);
      await addApp(elsewhere, "one more", "one more", "p", "one more");
      const all = () =>
        execute({
          actor: "x",
          writes: { project: { noun: project, id: "p" } },
          relies: {},
          groups: { apps: { noun: app, ...appsOf("p") } },
          decide: () => ({
            events: {
              apps: [removed],
              project: [{ type: "project.removed" as const, payload: {} }],
            },
          }),
        });
      const { position } = await store.head();
      await expect(all()).rejects.toThrow(`the decision writes to all ${groupMax + 1} of apps`);
      expect(await factsAfter(position)).toEqual([]);

      await removeApp(elsewhere, "one more");
      expect(writtenIn(await all())).toHaveLength(1);
      expect(await factsAfter(position)).toHaveLength(1 + groupMax + 1);
      expect(await appsLeft("p")).toEqual({ held: 0, listed: 0 });
    },
  );
});

describe("another process", () => {
  /** An execute whose first appends come after another process did something. */
  function overtaken(times: number, act: (nth: number) => Promise<unknown>): Execute {
    let nth = 0;
    const late = beforeAppend(store, async () => {
      nth += 1;
      if (nth <= times) await act(nth);
    });
    return createExecute(late, Date.now);
  }

  beforeEach(() => givenApps("p", ["a", "b"]));

  test.each([
    ["adds a member", () => addApp(elsewhere, "c", "c", "p", "c"), "tally-conflict", 3],
    ["removes a member", () => removeApp(elsewhere, "b"), "version-conflict", 1],
  ] as const)("%s: the command is decided anew", async (_, act, conflict, total) => {
    const { position } = await store.head();
    expect(writtenIn(await remove(overtaken(1, act), "p"))).toHaveLength(1);
    expect(kinds).toEqual([conflict, "appended"]);
    const others = (await factsAfter(position)).length - total - 1;
    expect(others).toBeGreaterThan(0);
    expect(await appsLeft("p")).toEqual({ held: 0, listed: 0 });
  });

  test("changes the number: who only counted decides anew", async () => {
    const seen: number[] = [];
    const add = () => addApp(elsewhere, "c", "c", "p", "c");
    expect(writtenIn(await counting(overtaken(1, add), "p", seen))).toHaveLength(1);
    expect(seen).toEqual([2, 3]);
    expect(kinds).toEqual(["tally-conflict", "appended"]);
  });

  test("changes the number at every attempt: the command gives way", async () => {
    const add = (nth: number) => addApp(elsewhere, `c${nth}`, `c${nth}`, "p", `c${nth}`);
    expect(await remove(overtaken(attemptsMax, add), "p")).toEqual({ kind: "conflict" });
    expect(kinds).toEqual(Array.from({ length: attemptsMax }, () => "tally-conflict"));
    expect(await appsLeft("p")).toEqual({ held: 2 + attemptsMax, listed: 2 + attemptsMax });
    expect((await store.load(["project-p"]))[0]).toMatchObject({ version: 1 });
  });

  test("replaces a member after the count: the new one goes too", async () => {
    let isFirst = true;
    const replacing: Store = {
      ...store,
      holders: async (group, limit) => {
        const holders = await store.holders(group, limit);
        if (isFirst) {
          isFirst = false;
          await removeApp(elsewhere, "a");
          await addApp(elsewhere, "c", "c", "p", "c");
        }
        return holders;
      },
    };
    const { position } = await store.head();
    expect(writtenIn(await remove(createExecute(replacing, Date.now), "p"))).toHaveLength(1);
    expect((await factsAfter(position)).slice(3)).toEqual([
      ["app-b", removed.type],
      ["app-c", removed.type],
      ["project-p", "project.removed"],
    ]);
    expect(await appsLeft("p")).toEqual({ held: 0, listed: 0 });
  });
});

test("a refusal does not mind that the number changed", async () => {
  await givenApps("p", ["a"]);
  const outcome = await execute({
    actor: "x",
    writes: { project: { noun: project, id: "p" } },
    relies: {},
    groups: { apps: { noun: app, ...appsOf("p") } },
    decide: ({ apps }) => ({
      events: {},
      rejection: { reason: "LIMIT_REACHED", message: `There are ${apps}.` } as const,
    }),
  });
  expect(outcome).toMatchObject({ kind: "rejected", rejection: { message: "There are 1." } });
  expect(kinds).toEqual([]);
});
