import { expect, test } from "@jest/globals";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import { isSpent } from "../../../src/domain/user/state/human-state.ts";
import { user } from "../../../src/domain/user/state/user.ts";
import { deactivated, given, startMs } from "./logins.ts";

const password = { code: "sealed", expirationMs: 1 };
const mailed = { codeId: "mailed", codeHash: "h", code: "sealed" };
const answered = { codeId: "answered", codeHash: "h", expirationMs: 1_800_000_900_000 };
const invited: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};
const links: readonly UserEvent[] = [
  { type: "user.human.password.code.added", payload: password },
  { type: "user.human.passwordless.link.added", payload: mailed },
  { type: "user.human.passwordless.initialization.code.added", payload: answered },
  invited,
];

/** What leads in of the links of a person after events. */
function leftAfter(...events: readonly UserEvent[]) {
  const { human } = given(...links, ...events);
  const working = human?.passwordless.filter((link) => !isSpent(link, startMs)) ?? [];
  const { passwordCode, initialization } = human ?? {};
  return [
    ...(passwordCode === undefined ? [] : ["password"]),
    ...working.map(({ codeId }) => codeId),
    ...(initialization === undefined || isSpent(initialization, startMs) ? [] : ["account"]),
  ];
}

const mailSent: UserEvent = {
  type: "user.human.initialization.code.sent",
  payload: { position: "1", expirationMs: startMs + 60_000 },
};
const ended: UserEvent = { type: "user.human.sessions.terminated", payload: { count: 0 } };
const set: UserEvent = {
  type: "user.human.password.set",
  payload: { passwordHash: "other", changeRequired: false },
};

test.each<[what: string, events: readonly UserEvent[], left: readonly string[]]>([
  ["nothing", [], ["password", "mailed", "answered", "account"]],
  ["the end of all sessions", [ended], ["password", "mailed", "answered", "account"]],
  ["a password that an administrator set", [set], ["answered", "account"]],
  ["a lock", [{ type: "user.locked", payload: {} }], []],
  [
    "a lock that has ended",
    [
      { type: "user.locked", payload: {} },
      { type: "user.unlocked", payload: {} },
    ],
    [],
  ],
  ["a lock with the end of its mail", [{ type: "user.locked", payload: {} }, mailSent], []],
  ["a lock with another mail", [{ type: "user.locked", payload: {} }, invited], ["account"]],
  ["a deactivation that has ended", [deactivated, { type: "user.reactivated", payload: {} }], []],
])("a link that outlives a lock: of all, these lead in after %s", (_, events, left) => {
  expect(leftAfter(...events)).toEqual(left);
});

test("who made a link is known of a passkey that came by it after a lock", () => {
  const key = { credentialId: "k", publicKey: "p", counter: 0, transports: [], name: "" };
  const state = given();
  const by = (actor: string, event: UserEvent, before = state) =>
    user.evolve(before, { ...event, owner: "org", actor, timeMs: startMs + 10 }) ?? before;
  const linked = by("boss", links[2]!);
  const locked = by("boss", { type: "user.locked", payload: {} }, linked);
  const unlocked = by("boss", { type: "user.unlocked", payload: {} }, locked);
  const added = { codeId: "answered", ...key };
  const after = by(
    "ada",
    { type: "user.human.passwordless.token.added", payload: added },
    unlocked,
  );
  expect(after.human?.passkeys).toMatchObject([{ maker: "boss" }]);
});
