import { mustExist, type Nothing, unknownEvent } from "../../noun.ts";
import { countMiss, type Delivery, type Missed, type SealedCode } from "./human-state.ts";
import type { Via } from "./made.ts";

/** The events of another e-mail address that a person asks for, and has yet to prove. */
export type EmailRequestEvent =
  | { readonly type: "user.human.email.requested"; readonly payload: AskedEmail }
  | { readonly type: "user.human.email.request.code.sent"; readonly payload: Delivery }
  | { readonly type: "user.human.email.request.code.failed"; readonly payload: Delivery }
  | { readonly type: "user.human.email.request.failed"; readonly payload: Nothing }
  | { readonly type: "user.human.email.request.withdrawn"; readonly payload: Nothing };

/** The happening behind each of them: see `Noun.events`. */
export const emailRequestEvents: { readonly [type in EmailRequestEvent["type"]]: string } = {
  "user.human.email.requested":
    "The person requested another e-mail address; a code for it was created and sealed",
  "user.human.email.request.code.sent":
    "The mail with the code was sent to that address; the lifetime of the code begins",
  "user.human.email.request.code.failed":
    "Sending the mail was given up; the lifetime of the code begins anyway",
  "user.human.email.request.failed": "A wrong code for the requested address was tried",
  "user.human.email.request.withdrawn":
    "The request was withdrawn, by the person or with the session that it was made in",
};

/** An address that a person asks for, with the code that proves it. */
export interface AskedEmail extends SealedCode, Via {
  readonly email: string;
  /** The session in which it was asked for, which stays when the others end. */
  readonly sessionId: string;
  /** How often all that came from logins had ended: a request ends with it, too. */
  readonly resets: number;
}

/** The same as it waits to be proven. */
export interface EmailRequest extends AskedEmail, Missed {}

/** Withdraws the request where it was made in one of these sessions, which somebody ends. */
export function withdrawnWith(
  human: { readonly emailRequest?: EmailRequest } | undefined,
  sessionIds: readonly string[],
): readonly Extract<EmailRequestEvent, { readonly payload: Nothing }>[] {
  const request = human?.emailRequest;
  if (request === undefined || !sessionIds.includes(request.sessionId)) return [];
  return [{ type: "user.human.email.request.withdrawn", payload: {} }];
}

/** The request after an event; undefined where there is none any more. */
export function evolveEmailRequest(
  request: EmailRequest | undefined,
  event: EmailRequestEvent,
): EmailRequest | undefined {
  switch (event.type) {
    case "user.human.email.requested":
      return { ...event.payload, failures: 0 };
    case "user.human.email.request.failed":
      return countMiss(mustExist(request));
    case "user.human.email.request.code.sent":
    case "user.human.email.request.code.failed": {
      const { expirationMs } = event.payload;
      if (expirationMs === undefined) return request;
      return { ...mustExist(request), expirationMs };
    }
    case "user.human.email.request.withdrawn":
      return undefined;
    default:
      return unknownEvent(event);
  }
}
