import type { UserDecision } from "../../../src/domain/user/state/acting.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../../src/domain/user/state/user.ts";

/** When the person was added who logs in here. */
export const startMs = 1_800_000_000_000;

const added: UserEvent = {
  type: "user.human.added",
  payload: {
    ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
    ...{ preferredLanguage: "", gender: "UNSPECIFIED", email: "ada@example.com" },
    ...{ passwordHash: "hash", passwordChangeRequired: true },
  },
};

/** The person after events, one each millisecond from the start on. */
export function given(...events: readonly UserEvent[]): UserState {
  const state = [added, ...events].reduce<UserState | undefined>(
    (before, event, i) =>
      user.evolve(before, { ...event, owner: "org", actor: "ada", timeMs: startMs + i }),
    undefined,
  );
  if (state === undefined) throw new Error("the person is gone");
  return state;
}

/** A login with a password, and who made that besides the person. */
export const begun = (sessionId: string, browser = "mine", via?: readonly string[]): UserEvent => ({
  type: "user.human.session.begun",
  payload: { sessionId, clientId: "app", factors: ["password"], browser, ...(via && { via }) },
});
export const deactivated: UserEvent = { type: "user.deactivated", payload: {} };

export const typesOf = ({ events }: UserDecision) => (events.user ?? []).map(({ type }) => type);
