import type { Execute, Outcome, Written } from "../execute.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { Refused } from "./call.ts";

/** What the handlers are made of; randomness and ids come from outside. */
export interface Service {
  readonly execute: Execute;
  /** A new id that sorts after those before it. */
  readonly newId: () => string;
  readonly random: RandomBytes;
}

/** What the command wrote to its one stream. Throws `Refused` where it was refused. */
export function written(outcome: Outcome): Written {
  switch (outcome.kind) {
    case "done": {
      const [only] = outcome.written;
      if (only === undefined) throw new TypeError("the command was accepted without an event");
      return only;
    }
    case "rejected":
      throw new Refused(outcome.rejection);
    case "conflict":
      throw new Refused({
        reason: "CONFLICT",
        message: "Others changed the same objects again and again: repeat the call.",
      });
  }
}
