import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { accept, reject } from "../../src/domain/decision.ts";
import { askToTell, logout } from "../../src/domain/logout.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { inFull } from "../harness/in-full.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { added, recording, writtenIn } from "./place.ts";

// A decision begins as many streams as it needs, each with an id of its own.

let place: SqlitePlace;
let store: Store;
let kinds: readonly string[];
let execute: Execute;

beforeEach(async () => {
  place = await sqlitePlace();
  const recorded = recording(await place.open(projector));
  kinds = recorded.kinds;
  store = recorded.store;
  execute = createExecute(store, Date.now);
});

afterEach(() => place.remove());

const told = (sessionId: string) => askToTell({ userId: "me", sessionId, told: ["a"] });

/** What gives one id after the other. */
const newIdOf = (...ids: string[]) => {
  return () => ids.shift() ?? "none";
};

/** Adds a user, and begins a logout of each session. */
function begin(sessionIds: readonly string[], ids: readonly string[]) {
  return execute({
    actor: "x",
    writes: { user: { noun: user, id: "me", owner: "org-1" } },
    begins: { logouts: { noun: logout, owner: "org-2", newId: newIdOf(...ids) } },
    decide: () => accept({ user: [added("me")], logouts: sessionIds.map(told) }),
  });
}

test("none or several are begun, in one append with what else is written", async () => {
  const [first, ...others] = writtenIn(await begin(["s", "t"], ["1", "2"]));
  expect(first?.events).toEqual([added("me")]);
  expect(others).toMatchObject([
    { owner: "org-2", events: told("s") },
    { owner: "org-2", events: told("t") },
  ]);
  expect(kinds).toEqual(["appended"]);
  const events = await store.readAll(0n, 10);
  expect(events.map(({ stream, version }) => [stream, version])).toEqual([
    ["user-me", 1],
    ["logout-1", 1],
    ["logout-2", 1],
  ]);
});

inFull("those without an event are not begun, nor are any by what is refused", async () => {
  expect(writtenIn(await begin([], ["1"]))).toHaveLength(1);
  const begins = { logouts: { noun: logout, owner: "org-2", newId: () => "2" } };
  const empty = { actor: "x", writes: {}, begins, decide: () => accept({ logouts: [[]] }) };
  expect(writtenIn(await execute(empty))).toEqual([]);
  const refused = await execute({ ...empty, decide: () => reject("USER_NOT_FOUND") });
  expect(refused.kind).toBe("rejected");
  expect(await store.readAll(0n, 10)).toHaveLength(1);
});

test("one whose id is another's is given another id", async () => {
  await begin(["s"], ["taken"]);
  const outcome = await execute({
    actor: "x",
    writes: {},
    begins: { logouts: { noun: logout, owner: "org-2", newId: newIdOf("taken", "free") } },
    decide: () => accept({ logouts: [told("t")] }),
  });
  expect(writtenIn(outcome)).toHaveLength(1);
  expect(kinds).toEqual(["appended", "version-conflict", "appended"]);
  expect(await store.readStream("logout-free", 0, 10)).toHaveLength(1);
  expect(await store.readStream("logout-taken", 0, 10)).toHaveLength(1);
});
