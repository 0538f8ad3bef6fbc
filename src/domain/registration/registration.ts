import { accept, type Decision } from "../decision.ts";
import { mustExist, type Nothing, type Noun, unknownEvent, unlisted } from "../noun.ts";

/**
 * The mail to somebody who wants to register. Who that is lies beside the log, with an end: nothing
 * of a person is in the log before the address is proven, nor whether somebody has it already.
 */
export type RegistrationEvent =
  | { readonly type: "registration.requested"; readonly payload: Nothing }
  | { readonly type: "registration.mail.sent"; readonly payload: ToldMail }
  | {
      readonly type: "registration.mail.failed";
      readonly payload: ToldMail & { readonly problem: string };
    };

/** Which mail it is about: the position (decimal) of what asked for it. */
interface ToldMail {
  readonly position: string;
}

/** A registration whose mail is on its way. */
export type RegistrationState = Nothing;

const mailField = "mail";

/** The noun of registrations, each of which is over when its mail has left. */
export const registration: Noun<RegistrationState, RegistrationEvent> = {
  ...unlisted,
  kind: "registration",
  events: {
    "registration.requested":
      "Somebody asked for a mail to register; the log does not store who, or whether an account " +
      "exists",
    "registration.mail.sent": "The mail was sent",
    "registration.mail.failed": "Sending the mail was given up",
  },
  secrets: [],
  messages: ({ type }) =>
    type === "registration.requested"
      ? [{ field: mailField, channel: "registration", to: "" }]
      : [],
  settles(event) {
    if (event.type === "registration.requested") return undefined;
    return { position: BigInt(event.payload.position), field: mailField };
  },
  evolve(state, event) {
    switch (event.type) {
      case "registration.requested":
        return {};
      case "registration.mail.sent":
      case "registration.mail.failed":
        mustExist(state);
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
};

type RegistrationDecision = Decision<{ registration?: readonly RegistrationEvent[] }>;

/** Asks for the mail. */
export function requestMail(): RegistrationDecision {
  return accept({ registration: [{ type: "registration.requested", payload: {} }] });
}

/** Records that the mail was sent, or for what problem it was given up. */
export function recordMail(
  state: RegistrationState | undefined,
  position: bigint,
  problem: string | undefined,
): RegistrationDecision {
  if (state === undefined) return accept({});
  const told = { position: String(position) };
  return accept({
    registration: [
      problem === undefined
        ? { type: "registration.mail.sent", payload: told }
        : { type: "registration.mail.failed", payload: { ...told, problem } },
    ],
  });
}
