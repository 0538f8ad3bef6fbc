import { type Reason, reasons } from "../reason.ts";

/**
 * What a decision comes to: events per stream, named as the command names its streams, and possibly
 * a refusal. A refusal may come with events: a wrong code must be counted.
 */
export interface Decision<Events> {
  readonly events: Events;
  readonly rejection?: Rejection;
}

/** A refusal as a value: the stable reason, and what people are told. */
export interface Rejection {
  readonly reason: Reason;
  /** One or two sentences for people: what was wrong and how to fix it. */
  readonly message: string;
  /** Every broken rule, where fields are to blame. */
  readonly violations?: readonly Violation[];
  /** Milliseconds after which the same would be accepted, where the decision knows them. */
  readonly retryMs?: number;
}

/**
 * One broken rule; the field is the path in the request message as the contract names it, for
 * example `redirect_uris[2]`, and empty for the message itself.
 */
export interface Violation {
  readonly field: string;
  readonly description: string;
  /** Names of fields that the description has, as the contract has them. */
  readonly names?: readonly string[];
}

/**
 * What is wrong with the value of a field, in words that follow the field's name; undefined where
 * nothing is.
 */
export type Problem = string | undefined;

/** The decision that records the events and refuses nothing. */
export function accept<const Events>(events: Events): Decision<Events> {
  return { events };
}

/** A decision that records nothing and refuses. */
export type Refusal = Decision<Record<never, never>> & { readonly rejection: Rejection };

/** The decision that records nothing and refuses for a reason: see `rejectionFor`. */
export function reject(reason: Reason, message?: string): Refusal {
  return { events: {}, rejection: rejectionFor(reason, message) };
}

/** The rejection for a reason, in the words of the table; a message of its own carries data. */
export function rejectionFor(reason: Reason, message: string = reasons[reason][1]): Rejection {
  return { reason, message };
}

/** The decision that records nothing and refuses with every broken rule at once. */
export function rejectFields(violations: readonly Violation[]): Refusal {
  return { events: {}, rejection: rejectionOfFields(violations) };
}

/** The rejection that lists every broken rule. */
export function rejectionOfFields(violations: readonly Violation[]): Rejection {
  return { reason: "INVALID_FIELDS", message: describeViolations(violations), violations };
}

/** Whether a rejection may be there so that nobody learns of what it is about. */
export function conceals(rejection: Rejection | undefined): boolean {
  if (rejection === undefined) return false;
  const [status] = reasons[rejection.reason];
  return status === "not_found" || status === "permission_denied" || status === "unauthenticated";
}

/** All violations in one text, for those who do not read lists of them. */
export function describeViolations(violations: readonly Violation[]): string {
  const texts = violations.map(
    ({ field, description }) => `${field || "the body"}: ${description}`,
  );
  return texts.join("; ");
}
