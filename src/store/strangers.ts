import { legible } from "./verify/text.ts";

/** What lies beside the tables of a log and has a name. */
export interface Named {
  /** In one word: a trigger, a rule, an index, a function or a table. */
  readonly kind: string;
  readonly name: string;
}

/** What is said of one that this program has not made. */
export function strange({ kind, name }: Named): string {
  const what = `the ${kind} ${legible(name)}`;
  return `${what} does not belong to this service: it may change or refuse writes`;
}

/** How many are named in one sentence. */
const namedMax = 10;

/** Throws an `Error` that says so of those that are there, and what to do. */
export function assertNoStrangers(said: readonly string[]): void {
  if (said.length === 0) return;
  const more = said.length > namedMax ? `; and ${said.length - namedMax} more` : "";
  throw new Error(
    `${said.slice(0, namedMax).join("; ")}${more}. Find out who made this and undo it, or ` +
      "restore the newest copy of the log. Then run verify.",
  );
}

/** What is said of a log that is served and has got a schema with another number. */
export function otherSchema({ found, made }: { readonly found: number; readonly made: number }) {
  const why =
    "a newer version of the program has taken it over, or somebody has changed the number";
  return `it has schema ${found}, and it is served with schema ${made}: ${why}`;
}
