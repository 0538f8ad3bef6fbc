import type { HumanState } from "../../../src/domain/user/human/state.ts";
import type { UserState } from "../../../src/domain/user/user.ts";
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
      externalIDPs: [],
      passwordless: [],
      passkeys: [],
      ...rest,
    },
  };
}
