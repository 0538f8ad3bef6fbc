import { expect, test } from "@jest/globals";
import {
  findDestination,
  recordDelivery,
} from "../../../../src/domain/user/credential/delivery.ts";
import { pendingCodesOf } from "../../../../src/domain/user/state/credential.ts";
import { codeLifetimesMs } from "../../../../src/domain/user/state/human-state.ts";
import { begun, given, startMs, typesOf } from "../logins.ts";

const requested = (code: string) => ({
  type: "user.human.email.requested" as const,
  payload: { code, email: "new@example.com", sessionId: "here", resets: 0 },
});
const recorded = { ...requested("a"), position: 7n, timeMs: startMs };
const waiting = given(begun("here"), requested("a"));

test("the code of a request goes to the address that is asked for, unless one is newer", () => {
  const { email: lifetimeMs } = codeLifetimesMs;
  expect(findDestination(waiting, recorded, 5)).toEqual({
    ...{ channel: "email", to: "new@example.com", expirationMs: 5 + lifetimeMs },
  });
  const newer = given(begun("here"), requested("a"), requested("b"));
  expect(findDestination(newer, recorded, 5)).toBeUndefined();
});

test("the code keeps the key that it is sealed with, as long as it counts", () => {
  expect(pendingCodesOf(waiting, startMs)).toEqual([{ code: "a" }]);
  const withdrawn = { type: "user.human.email.request.withdrawn", payload: {} } as const;
  expect(pendingCodesOf(given(begun("here"), requested("a"), withdrawn), startMs)).toEqual([]);
});

test("the time of the code begins when its mail has left", () => {
  const sent = recordDelivery(waiting, recorded, { kind: "sent" }, startMs);
  expect(typesOf(sent)).toEqual(["user.human.email.request.code.sent"]);
  const expirationMs = startMs + codeLifetimesMs.email;
  const state = given(begun("here"), requested("a"), ...(sent.events.user ?? []));
  expect(state.human?.emailRequest).toMatchObject({ code: "a", expirationMs });
  const problem = "refused";
  const failed = recordDelivery(waiting, recorded, { kind: "failed", problem }, startMs);
  expect(failed.events.user).toEqual([
    {
      type: "user.human.email.request.code.failed",
      payload: { position: "7", expirationMs, problem },
    },
  ]);
});
