import type { Claim } from "../event.ts";
import { foldText } from "../text/fold.ts";
import { toPrototypes } from "../text/prototype.ts";
import { hasLineBreak, isBlank, isMisleading } from "../text/visible.ts";
import { type Problem, type Rejection, rejectionFor } from "./decision.ts";

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
  /** What its folded form looks like. */
  readonly nameClaim?: string;
  /** The folded form of what it looks like as it is written, with its capital letters. */
  readonly shownClaim?: string;
}

/** What a name of the instance claims: its folded form, as ever, and what it looks like. */
export function nameClaims(kind: string, name: string, looks: NameClaim): readonly Claim[] {
  const values = [foldName(name), ...Object.values(looksIn(looks))];
  return values.map((value) => ({ kind, scope: "", value }));
}

/**
 * What to record with a new name; nothing where the folded form says it all. Both looks count,
 * because a letter may look like a Latin one in one case alone: the Cyrillic В, which is в.
 */
export function claimOf(name: string): NameClaim {
  const folded = foldName(name);
  const nameClaim = toPrototypes(folded);
  const shownClaim = foldName(toPrototypes(name.normalize("NFKC")));
  return {
    ...(nameClaim === folded ? {} : { nameClaim }),
    ...(shownClaim === folded || shownClaim === nameClaim ? {} : { shownClaim }),
  };
}

/** What was recorded with a name, and nothing else. */
export function looksIn({ nameClaim, shownClaim }: NameClaim): NameClaim {
  return {
    ...(nameClaim === undefined ? {} : { nameClaim }),
    ...(shownClaim === undefined ? {} : { shownClaim }),
  };
}

/**
 * The rule of a name: it shows something, and does so in one line. Its length is a rule of the
 * contract.
 */
export function nameProblem(name: string): Problem {
  return isBlank(name) ? "must not be blank" : lineProblem(name);
}

const broken = "must not contain control characters or line breaks";

/** The rule of a name that may be blank. */
export function lineProblem(text: string): Problem {
  if (hasLineBreak(text)) return broken;
  return isMisleading(text)
    ? "must not contain bidirectional control characters or letters that look blank (for " +
        "example U+3164)"
    : undefined;
}

/** The rule of a login name, of which the blanks at its ends are no part. */
export function loginNameProblem(name: string): Problem {
  return nameProblem(name.trim());
}

/**
 * The rule of a key that stands in paths, whose own names begin with an underscore. Clients that
 * read a URL take out parts that are dots, and what stands before them; before that they take out
 * tabs, line breaks, and what is blank at its end (WHATWG URL, 4.4).
 */
export function keyProblem(key: string): Problem {
  if (key.startsWith("_")) return "must not begin with an underscore";
  if (hasLineBreak(key)) return broken;
  const parts = key.replaceAll(/%2e/gi, ".").split(/[/\\?#]/);
  return parts.some((part) => /^\.{1,2} *$/.test(part))
    ? "must not have a part of one or two dots between slashes, question marks or number signs"
    : undefined;
}

/** The refusal of a name that another of these has, like `project of this organization`. */
export function rejectName(others: string): Rejection {
  const message = `Another ${others} has this name (ignoring case). Choose a different one.`;
  return rejectionFor("NAME_TAKEN", message);
}
