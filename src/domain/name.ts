import { foldText } from "../text/fold.ts";
import { hasLineBreak, isBlank } from "../text/visible.ts";
import { type Rejection, rejectionFor, type Violation } from "./decision.ts";

/** The form in which names are compared: what looks the same to people must not be two names. */
export function foldName(name: string): string {
  return foldText(name).trim().replaceAll(/\s+/g, " ");
}

/**
 * The broken rules of a name: it shows something, and does so in one line. Its length is a rule of
 * the contract.
 */
export function nameViolations(field: string, name: string): readonly Violation[] {
  if (isBlank(name)) return [{ field, description: "must not be blank" }];
  return lineViolations(field, name);
}

/** The broken rules of a name that may be blank. */
export function lineViolations(field: string, text: string): readonly Violation[] {
  const description = "must not contain control characters or line breaks";
  return hasLineBreak(text) ? [{ field, description }] : [];
}

/** The refusal of a name that another of these has, such as `project of this organization`. */
export function rejectName(others: string): Rejection {
  const message = `Another ${others} has this name; case does not count. Choose a different one.`;
  return rejectionFor("NAME_TAKEN", message);
}
