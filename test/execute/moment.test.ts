import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { removeMembership } from "../../src/domain/user/membership.ts";
import { activeOwners, type UserState, user } from "../../src/domain/user/state/user.ts";
import { attemptsMax, createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { addToken, addUser } from "./place.ts";

// A refusal rests on what was so at one moment, however often a command has to read.

let place: SqlitePlace;
let store: Store;
/** Another process on the same file. */
let elsewhere: Execute;

const scope = { level: "instance" } as const;
const granted = {
  type: "user.membership.granted",
  payload: { scope, roles: ["IAM_OWNER"] },
} as const;
const taken = { type: "user.membership.removed", payload: { scope } } as const;

beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open(projector);
  elsewhere = createExecute(await place.open(projector), Date.now);
  for (const id of ["u", "v"]) {
    await addUser(elsewhere, id);
    await addToken(elsewhere, id, `token of ${id}`);
    await happen(id, granted);
  }
});

afterEach(() => place.remove());

function happen(id: string, event: typeof granted | typeof taken) {
  return elsewhere({
    actor: "x",
    writes: { user: { noun: user, id } },
    decide: () => ({ events: { user: [event] } }),
  });
}

/** An execute in which something happens after the streams were read, before owners are counted. */
function counting(act: () => Promise<unknown>): { execute: Execute; counts: () => number } {
  let counts = 0;
  const holders: Store["holders"] = async (...query) => {
    counts += 1;
    await act();
    return store.holders(...query);
  };
  return { execute: createExecute({ ...store, holders }, Date.now), counts: () => counts };
}

function takeOwnership(execute: Execute, id: string) {
  return execute({
    actor: "x",
    writes: { user: { noun: user, id } },
    groups: { owners: { noun: user, ...activeOwners } },
    // Who holds all may take all.
    decide: ({ user: state, owners }) =>
      removeMembership({ user: state, caller: caller(), owners }, { scope }),
  });
}

const caller = () => ({ memberships: [granted.payload] }) as unknown as UserState;

test("nobody is told to be the last owner who is none any more", async () => {
  let isOver = false;
  const { execute } = counting(async () => {
    if (!isOver) await happen("u", taken);
    isOver = true;
  });
  // There were two, of whom one was the user: now there is one, who is another.
  expect(await takeOwnership(execute, "u")).toMatchObject({
    rejection: { reason: "MEMBER_NOT_FOUND" },
  });
});

test("the last owner is told so, after one more look", async () => {
  await happen("v", taken);
  const { execute, counts } = counting(async () => {});
  expect(await takeOwnership(execute, "u")).toMatchObject({
    rejection: { reason: "LAST_OWNER" },
  });
  expect(counts()).toBe(1);
});

test("what leads on has to be as it was when the streams that it led to were read", async () => {
  let isOver = false;
  const load: Store["load"] = async (streams) => {
    if (streams.includes("user-v") && !isOver) {
      isOver = true;
      await addToken(elsewhere, "u", "more");
    }
    return store.load(streams);
  };
  const by = createExecute({ ...store, load }, Date.now);
  const seen: number[] = [];
  const outcome = await by({
    actor: "x",
    writes: { user: { noun: user, id: "u" } },
    leads: () => ({ led: { noun: user, id: "v" } }),
    decide: (states) => {
      seen.push(Object.keys(states.user?.tokens ?? {}).length);
      return { events: {}, rejection: { reason: "LIMIT_REACHED", message: "" } };
    },
  });
  expect(outcome.kind).toBe("rejected");
  expect(seen).toEqual([1, 2]);
});

test("one who is overtaken at every attempt gives way", async () => {
  let isOwner = true;
  const { execute, counts } = counting(async () => {
    await happen("u", isOwner ? taken : granted);
    isOwner = !isOwner;
  });
  expect(await takeOwnership(execute, "u")).toEqual({ kind: "conflict" });
  expect(counts()).toBe(attemptsMax);
});
