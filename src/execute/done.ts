import type { Outcome } from "./command.ts";

/** What a command came to that was done. Throws an `Error` of the problem where it was not. */
export function doneOr<Answer>(
  outcome: Outcome<Answer>,
  problem: string,
): Extract<Outcome<Answer>, { readonly kind: "done" }> {
  if (outcome.kind === "done") return outcome;
  throw new Error(`${problem}: ${outcome.kind}`);
}
