import { parse } from "acorn";
import type { Problem } from "../domain/decision.ts";

/** The rule of a script, which must parse as JavaScript. No script is ever run here. */
export function scriptProblem(script: string): Problem {
  try {
    parse(script, { ecmaVersion: "latest", sourceType: "script", allowHashBang: false });
    return undefined;
  } catch (error) {
    return `must parse as JavaScript: ${problemOf(error, script)}`;
  }
}

/** An error of acorn with the place where it stopped, in UTF-16 units from 0. */
interface Located extends Error {
  readonly pos: number;
  readonly loc: { readonly line: number; readonly column: number };
}

function problemOf(error: unknown, script: string): string {
  // Deep nesting may overflow the stack where acorn does not expect it.
  if (!isLocated(error)) return "it nests too deeply";
  const { message, pos, loc } = error;
  const lineSoFar = script.slice(pos - loc.column, pos);
  // Columns count characters from 1, as people and the limits of this service do.
  const column = [...lineSoFar].length + 1;
  return `${message.replace(/\s*\(\d+:\d+\)$/, "")} at line ${loc.line}, column ${column}`;
}

function isLocated(error: unknown): error is Located {
  return typeof error === "object" && error !== null && "pos" in error && "loc" in error;
}
