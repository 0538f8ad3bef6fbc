import type { Reason } from "../reason.ts";

/**
 * What a decision comes to: events per stream, named as the command names its streams, and possibly
 * a refusal. A refusal may come with events: a wrong code must be counted.
 */
export interface Decision<Events> {
  readonly events: Events;
  readonly rejection?: Rejection;
}

export interface Rejection {
  readonly reason: Reason;
  /** One or two sentences for people: what was wrong and how to fix it. */
  readonly message: string;
  /** Every broken rule, where fields are to blame. */
  readonly violations?: readonly Violation[];
}

/**
 * One broken rule; the field is the path in the request message, such as `redirect_uris[2]`, and
 * empty for the message itself.
 */
export interface Violation {
  readonly field: string;
  readonly description: string;
}

export function accept<const Events>(events: Events): Decision<Events> {
  return { events };
}

export function reject(reason: Reason, message: string): Decision<Record<never, never>> {
  return { events: {}, rejection: { reason, message } };
}

/** Refuses with every broken rule at once. */
export function invalid(violations: readonly Violation[]): Decision<Record<never, never>> {
  return { events: {}, rejection: invalidFields(violations) };
}

export function invalidFields(violations: readonly Violation[]): Rejection {
  return { reason: "INVALID_FIELDS", message: told(violations), violations };
}

/** All of them in one text. */
export function told(violations: readonly Violation[]): string {
  const texts = violations.map(
    ({ field, description }) => `${field || "the body"}: ${description}`,
  );
  return texts.join("; ");
}
