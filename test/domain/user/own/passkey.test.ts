import { describe, expect, test } from "@jest/globals";
import { renameOwnPasskey } from "../../../../src/domain/user/own/passkey.ts";
import { dayLimits } from "../../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { begun, deactivated, given, startMs, typesOf } from "../logins.ts";

const now = startMs + 1_000;
const own = { userId: "ada", sessionId: "here" };
const renamed = { ...own, credentialId: "mine", name: "My laptop" };
const added = (credentialId: string): UserEvent => ({
  type: "user.human.passwordless.token.added",
  payload: {
    ...{ credentialId, publicKey: "key", counter: 0, transports: [], name: "before" },
    codeId: "code",
  },
});
const change = (name: string): UserEvent => ({
  type: "user.human.passwordless.token.renamed",
  payload: { credentialId: "mine", name },
});

describe("another name of one's own passkey", () => {
  test("is kept with that passkey alone, and with all else of it", () => {
    const before = [begun("here"), added("other"), added("mine")];
    const decision = renameOwnPasskey(given(...before), renamed, now);
    expect(decision.events.user).toEqual([change("My laptop")]);
    const { human } = given(...before, change("My laptop"));
    expect(human?.passkeys.map(({ credentialId, name }) => [credentialId, name])).toEqual([
      ["other", "before"],
      ["mine", "My laptop"],
    ]);
    expect(human?.passkeys).toMatchObject([{ publicKey: "key" }, { publicKey: "key" }]);
    expect(human?.login?.sessions).toMatchObject([{ sessionId: "here" }]);
  });

  test.each([
    ["somebody who is not logged in", "UNAUTHENTICATED", given(added("mine"))],
    [
      "somebody who is logged in elsewhere",
      "UNAUTHENTICATED",
      given(added("mine"), begun("there")),
    ],
    ["somebody without it", "PASSKEY_NOT_FOUND", given(begun("here"), added("other"))],
    [
      "one who has it already",
      "NOTHING_CHANGED",
      given(begun("here"), added("mine"), change("My laptop")),
    ],
    ["somebody out of use", "UNAUTHENTICATED", given(begun("here"), added("mine"), deactivated)],
  ])("is refused to %s", (_who, reason, state) => {
    const decision = renameOwnPasskey(state, renamed, now);
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual([reason, []]);
  });

  test("is given as often as there is room for in a day", () => {
    const { changesOfDay } = dayLimits;
    const renamedAfter = (count: number) => {
      const changes = Array.from({ length: count }, (_, i) => change(`name ${i}`));
      return renameOwnPasskey(given(begun("here"), added("mine"), ...changes), renamed, now);
    };
    expect(renamedAfter(changesOfDay - 1).rejection).toBeUndefined();
    expect(renamedAfter(changesOfDay).rejection?.reason).toBe("LIMIT_REACHED");
  });
});
