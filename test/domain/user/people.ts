import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import type { HumanState } from "../../../src/domain/user/state/login-state.ts";
import { type UserState, user } from "../../../src/domain/user/state/user.ts";
import type { Envelope } from "../../../src/event.ts";
import { home } from "./users.ts";

/** A person as one is after the least that is recorded. */
export function person(rest: Partial<HumanState> = {}): UserState & { readonly human: HumanState } {
  return {
    userName: "Ada",
    organization: home,
    tokens: {},
    memberships: [],
    human: {
      firstName: "Ada",
      lastName: "Lovelace",
      nickName: "",
      displayName: "Ada Lovelace",
      preferredLanguage: "",
      gender: "UNSPECIFIED",
      email: "ada@example.com",
      emailMade: { maker: "u" },
      isEmailVerified: false,
      passwordChangeRequired: false,
      recoveryCodes: [],
      externalIDPs: [],
      passwordless: [],
      passkeys: [],
      ...rest,
    },
  };
}

/** What an event makes of a person; undefined stands for a user who is none. */
export function humanAfter(
  human: HumanState | undefined,
  event: UserEvent & Envelope,
): HumanState | undefined {
  const { human: _other, ...rest } = person();
  return user.evolve({ ...rest, ...(human && { human }) }, event)?.human;
}
