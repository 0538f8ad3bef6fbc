import type { Envelope } from "../../../event.ts";
import type { EventsOf } from "../../noun.ts";
import type { FactorTraits } from "./factor-traits.ts";
import type { Added, Delivery, Person, SealedCode } from "./human-state.ts";
import { type Made, madeBy, madeThrough, type Via } from "./made.ts";

/** The payloads of the events of passwords. */
export interface PasswordEvents {
  readonly "user.human.password.changed": NewPassword & Via;
  readonly "user.human.password.set": NewPassword & { readonly changeRequired: boolean } & Via;
  readonly "user.human.password.rehashed": NewPassword;
  readonly "user.human.password.code.added": Required<SealedCode>;
  readonly "user.human.password.code.sent": Delivery;
  readonly "user.human.password.code.failed": Delivery;
  readonly "user.human.password.reset": NewPassword;
}

/** What is kept of a password: a PHC string or a hash in Modular Crypt Format. */
export interface NewPassword {
  readonly passwordHash: string;
}

/** The password of a person. */
export interface PasswordHeld extends Partial<NewPassword> {
  readonly passwordMade?: Made;
  /** When the password was set last (Unix milliseconds). */
  readonly passwordChangedMs?: number;
  readonly passwordChangeRequired: boolean;
  /** The code by which a forgotten password is replaced. */
  readonly passwordCode?: Required<SealedCode>;
}

/** A person with a password, and with what another may be chosen by. */
type Holder = PasswordHeld & Pick<Person, "emailMade" | "initialization">;

/** A password: it comes first, and counts until there is another one. */
export const password = {
  comes: "first",
  amr: ["pwd"],
  weight: 1,
  isStill: ({ passwordHash = "" }, { isPassword }) => isPassword(passwordHash),
  isOf: ({ kind }) => kind === "password",
  events: {
    "user.human.password.changed": [
      "The person got another password; its hash is stored, and the consents of the person ended",
      withPassword,
    ],
    "user.human.password.set": [
      "An administrator set the password; sessions, tokens, mailed links, locks and known browsers ended",
      withPassword,
    ],
    "user.human.password.rehashed": [
      "The same password was hashed again with current parameters",
      (human, { payload }) => ({ ...human, passwordHash: payload.passwordHash }),
    ],
    "user.human.password.code.added": [
      "Somebody requested a mail to reset the password; its code was created and sealed",
      (human, { payload }) => ({ ...human, passwordCode: payload }),
    ],
    "user.human.password.code.sent": ["The mail with the code was sent", (human) => human],
    "user.human.password.code.failed": ["Sending the mail was given up", (human) => human],
    "user.human.password.reset": [
      "The password was reset with that code; sessions, tokens, mailed links and locks ended",
      withPassword,
    ],
  },
  counted: [],
  secrets: ["passwordHash"],
} as const satisfies FactorTraits<Holder, PasswordEvents>;

/** The password of somebody who was just added. */
export function newPassword(event: Added & Envelope): PasswordHeld {
  const { passwordHash, passwordChangeRequired } = event.payload;
  const made = { passwordMade: madeBy(event), passwordChangedMs: event.timeMs };
  return {
    ...(passwordHash === undefined ? {} : { passwordHash, ...made }),
    passwordChangeRequired,
  };
}

type Another = EventsOf<Pick<PasswordEvents, `user.human.password.${"set" | "changed" | "reset"}`>>;

/** The same person with another password. */
function withPassword(human: Holder, event: Another & Envelope): Holder {
  const { passwordHash } = event.payload;
  const passwordMade = madeThrough(madeBy(event), ...leadingTo(event.type, human));
  const set = { passwordHash, passwordMade, passwordChangedMs: event.timeMs };
  const passwordChangeRequired = "changeRequired" in event.payload && event.payload.changeRequired;
  return { ...withoutPasswordCode(human), ...set, passwordChangeRequired };
}

/**
 * Who made what another password is chosen by: a mail, the code to initialize the account, or the
 * password of before. An administrator needs none of them.
 */
function leadingTo(
  event: Another["type"],
  { emailMade, passwordMade, initialization }: Holder,
): readonly (Made | undefined)[] {
  if (event === "user.human.password.set") return [];
  if (event === "user.human.password.reset") return [emailMade];
  // Nobody logs in before that is over.
  if (initialization === undefined) return [passwordMade];
  // A caller who has a code mailed does not see it.
  return [initialization.send === false ? initialization : emailMade];
}

/** The same person, whose code for another password is no longer valid. */
export function withoutPasswordCode<State extends PasswordHeld>(human: State): State {
  const { passwordCode: _void, ...rest } = human;
  return rest as State;
}
