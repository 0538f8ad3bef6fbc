import type { Command, Groups, Refs } from "../../src/execute/command.ts";

/** A command as it is handed about here; its answer is the position of what it wrote. */
export type SomeCommand = Command<Refs, Refs, Groups, Record<never, never>, string>;

/** A command without who gives it. */
export type Asked = Omit<SomeCommand, "actor" | "remembering">;

/** What somebody wants done, no matter who asks for it how often. */
export interface Task {
  readonly what: string;
  readonly command: Asked;
}
