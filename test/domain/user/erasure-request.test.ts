import { expect, test } from "@jest/globals";
import {
  announceErasure,
  eraseAsAsked,
  requestErasure,
  withdrawErasure,
} from "../../../src/domain/user/erasure-request.ts";
import { erasureTimes } from "../../../src/domain/user/state/asked-erasure.ts";
import { dayLimits } from "../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import type { UserState } from "../../../src/domain/user/state/user.ts";
import { begun, given, startMs } from "./logins.ts";
import { person as personWith } from "./people.ts";
import { held } from "./users.ts";

const person = personWith();
const { waitMs, announceMs } = erasureTimes;
const asking = { askedMs: 0, dueMs: waitMs };
const asks = (erasure: UserState["erasure"]): UserState => ({
  ...person,
  ...(erasure === undefined ? {} : { erasure }),
});

test("an erasure is asked for once, by a person in use", () => {
  const [event] = requestErasure(person, 0).events?.user ?? [];
  expect(event).toEqual({ type: "user.erasure.requested", payload: { dueMs: waitMs } });
  expect(requestErasure(asks(asking), 0)).toMatchObject({
    rejection: { reason: "NOTHING_CHANGED" },
  });
  expect(withdrawErasure(person)).toMatchObject({ rejection: { reason: "NOTHING_CHANGED" } });
  for (const nobody of [undefined, { ...person, isInactive: true as const }]) {
    const refused = { rejection: { reason: "UNAUTHENTICATED" } };
    expect(requestErasure(nobody, 0)).toMatchObject(refused);
  }
});

test("an erasure is asked for so often in a day, and no more", () => {
  const again: readonly UserEvent[] = [
    { type: "user.erasure.requested", payload: { dueMs: waitMs } },
    { type: "user.erasure.withdrawn", payload: {} },
  ];
  const state = (count: number) =>
    given(begun("here"), ...Array.from({ length: count }, () => again).flat());
  const { erasuresOfDay } = dayLimits;
  expect(requestErasure(state(erasuresOfDay - 1), startMs).rejection).toBeUndefined();
  const full = requestErasure(state(erasuresOfDay), startMs);
  expect(full).toMatchObject({ rejection: { reason: "LIMIT_REACHED" } });
});

test("nobody is told before the time, nor twice", () => {
  const due = waitMs - announceMs;
  expect(announceErasure(asks(asking), due - 1).events).toEqual({});
  expect(announceErasure(asks(asking), due).events?.user).toHaveLength(1);
  const told = { ...asking, isAnnounced: true } as const;
  expect(announceErasure(asks(told), waitMs).events).toEqual({});
});

test("nobody is erased before the time, nor untold, nor with roles", () => {
  const told = asks({ ...asking, isAnnounced: true });
  const conflict = { rejection: { reason: "CONFLICT" } };
  expect(eraseAsAsked(told, "1", waitMs - 1)).toMatchObject(conflict);
  expect(eraseAsAsked(asks(asking), "1", waitMs)).toMatchObject(conflict);
  expect(eraseAsAsked(person, "1", waitMs)).toMatchObject(conflict);
  const memberships = held({ scope: { level: "instance" }, roles: ["IAM_OWNER"] });
  const holding = { rejection: { reason: "USER_HOLDS_ROLES" } };
  expect(eraseAsAsked({ ...told, memberships }, "1", waitMs)).toMatchObject(holding);
  const types = eraseAsAsked(told, "1", waitMs).events?.user?.map(({ type }) => type);
  expect(types).toEqual(["user.removed", "user.erased"]);
});
