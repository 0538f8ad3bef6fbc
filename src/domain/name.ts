import type { Claim } from "../event.ts";
import { foldText } from "../text/fold.ts";
import { toPrototypes } from "../text/prototype.ts";
import { hasLineBreak, isBlank, isMisleading } from "../text/visible.ts";
import { type Rejection, rejectionFor, type Violation } from "./decision.ts";

/** The form in which names are compared: what looks the same to people must not be two names. */
export function foldName(name: string): string {
  return foldText(name).trim().replaceAll(/\s+/g, " ");
}

/**
 * What a name looks like, where that is another text than its folded form: no other name of the
 * instance may be or look like it. It is recorded with the name, so that names of before claim what
 * they did, and all claim the same whatever becomes of the table.
 */
export interface NameClaim {
  readonly nameClaim?: string;
}

/** What a name of the instance claims: its folded form, as ever, and what it looks like. */
export function nameClaims(kind: string, name: string, { nameClaim }: NameClaim): readonly Claim[] {
  const values = [foldName(name), ...(nameClaim === undefined ? [] : [nameClaim])];
  return values.map((value) => ({ kind, scope: "", value }));
}

/** What to record with a new name; nothing where the folded form says it all. */
export function claimOf(name: string): NameClaim {
  const folded = foldName(name);
  const nameClaim = toPrototypes(folded);
  return nameClaim === folded ? {} : { nameClaim };
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
  if (hasLineBreak(text)) {
    return [{ field, description: "must not contain control characters or line breaks" }];
  }
  if (!isMisleading(text)) return [];
  const description = "must not contain marks that turn text around, or blanks that are letters";
  return [{ field, description }];
}

/** The refusal of a name that another of these has, such as `project of this organization`. */
export function rejectName(others: string): Rejection {
  const message = `Another ${others} has this name; case does not count. Choose a different one.`;
  return rejectionFor("NAME_TAKEN", message);
}
