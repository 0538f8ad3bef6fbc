import type { UserEvent } from "../src/domain/user/state/event.ts";

const names = {
  nickName: "",
  displayName: "",
  preferredLanguage: "",
  gender: "UNSPECIFIED",
} as const;

/** The event by which a person begins who has its id as user name. */
export function personAdded(id: string): UserEvent {
  const email = {
    email: `${id}@example.com`,
    isEmailVerified: true,
    passwordChangeRequired: false,
  };
  const payload = { userName: id, firstName: "Ada", lastName: "Lovelace", ...names, ...email };
  return { type: "user.human.added", payload };
}

/** The event by which the person gets another name, a new one for each number. */
export function personRenamed(serial: number): UserEvent {
  const payload = { firstName: `Ada ${serial}`, lastName: "Lovelace", ...names };
  return { type: "user.human.profile.changed", payload };
}
