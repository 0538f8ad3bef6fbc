import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { accept, reject } from "../../src/domain/decision.ts";
import { org } from "../../src/domain/org.ts";
import {
  type ProjectInput,
  type ProjectState,
  project,
  setUpProject,
} from "../../src/domain/project.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { addProject, nameOrg, recording } from "./place.ts";

// A command is decided on what was seen of its streams; nothing is refused because of that.

let place: SqlitePlace;
let execute: Execute;
/** Another process on the same file. */
let elsewhere: Execute;
let loads: string[][];
let kinds: readonly string[];

beforeEach(async () => {
  place = await sqlitePlace();
  loads = [];
  const recorded = recording(await place.open(projector));
  kinds = recorded.kinds;
  const counted: Store = {
    ...recorded.store,
    load: (streams) => {
      // No organization owns the project: owners have tests of their own.
      if (!streams.includes("org-o")) loads.push([...streams]);
      return recorded.store.load(streams);
    },
  };
  execute = createExecute(counted, Date.now);
  elsewhere = createExecute(await place.open(projector), Date.now);
  await addProject(elsewhere, "shop", "Shop", "o");
});

afterEach(() => place.remove());

/** Makes an organization where the project is as it must be. */
function whileShop(id: string, is: (state: ProjectState | undefined) => boolean) {
  return execute({
    actor: "x",
    writes: { org: { noun: org, id, owner: id, isNew: true } },
    relies: { shop: { noun: project, id: "shop" } },
    decide: ({ shop }) =>
      is(shop)
        ? accept({ org: [{ type: "org.added", payload: { name: id } }] })
        : reject("PROJECT_NOT_FOUND"),
  });
}

/** Changes the project in the other process. */
async function change(type: "project.deactivated" | "project.removed") {
  const outcome = await elsewhere({
    actor: "y",
    writes: { project: { noun: project, id: "shop" } },
    decide: () => accept({ project: [{ type, payload: {} }] }),
  });
  expect(outcome.kind).toBe("done");
}

const isActive = (state: ProjectState | undefined) =>
  state !== undefined && state.isInactive !== true;

test("what was seen is not loaded again, nor what is new", async () => {
  expect(await whileShop("a", isActive)).toMatchObject({ kind: "done" });
  expect(loads).toEqual([["project-shop", "org-a"]]);
  expect(await whileShop("b", isActive)).toMatchObject({ kind: "done" });
  expect(loads).toHaveLength(1);
  expect(kinds).toEqual(["appended", "appended"]);
});

test("what another process changed is loaded and decided anew", async () => {
  await whileShop("a", isActive);
  await change("project.deactivated");
  const outcome = await whileShop("b", isActive);
  expect(outcome).toMatchObject({ kind: "rejected", rejection: { reason: "PROJECT_NOT_FOUND" } });
  expect(kinds).toEqual(["appended", "version-conflict"]);
  expect(loads).toHaveLength(2);
});

test("nothing is refused because of what was seen", async () => {
  await whileShop("a", isActive);
  await change("project.deactivated");
  // On what was seen this is refused.
  expect(await whileShop("b", (state) => !isActive(state))).toMatchObject({ kind: "done" });
  expect(kinds).toEqual(["appended", "appended"]);
  expect(loads).toHaveLength(2);
});

test("to want nothing because of what was seen is as good as a refusal", async () => {
  await whileShop("a", isActive);
  await change("project.removed");
  const outcome = await execute({
    actor: "x",
    writes: {},
    relies: { shop: { noun: project, id: "shop" } },
    decide: ({ shop }) => (shop === undefined ? reject("PROJECT_NOT_FOUND") : accept({})),
  });
  expect(outcome).toMatchObject({ kind: "rejected" });
});

test("a decision that fails on what was seen is made anew", async () => {
  await whileShop("a", isActive);
  await change("project.deactivated");
  const outcome = await whileShop("b", (state) => {
    if (isActive(state)) throw new TypeError("it does not fit");
    return true;
  });
  expect(outcome).toMatchObject({ kind: "done" });
  const failing = whileShop("c", () => {
    throw new TypeError("it never fits");
  });
  await expect(failing).rejects.toThrow("it never fits");
});

test("an id that is not new after all is found out by the append alone", async () => {
  await whileShop("a", isActive);
  await nameOrg(elsewhere, "b", "B");
  const seen: unknown[] = [];
  const outcome = await execute({
    actor: "x",
    writes: { org: { noun: org, id: "b", owner: "b", isNew: true } },
    decide: ({ org: state }) => {
      seen.push(state);
      return accept({ org: [named("b")] });
    },
  });
  expect(outcome).toEqual({ kind: "conflict" });
  expect(seen).toEqual([undefined]);
});

test("what this process wrote is not taken for what it was before", async () => {
  await whileShop("a", isActive);
  await execute({
    actor: "x",
    writes: { project: { noun: project, id: "shop" } },
    decide: () => accept({ project: [{ type: "project.changed", payload: later }] }),
  });
  const names: unknown[] = [];
  await whileShop("b", (state) => {
    names.push(state?.name);
    return true;
  });
  expect(names).toEqual(["Later"]);
});

const named = (name: string) => ({ type: "org.added", payload: { name } }) as const;
const [first] = setUpProject("Later");
const later = first?.payload as ProjectInput;
