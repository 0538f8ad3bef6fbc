import type { Config } from "../../config/config.ts";
import type { Arguments, Form } from "../arguments.ts";

/** What surrounds a command: settings that are no flags, and where people read what it says. */
export interface Surroundings {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Writes lines to standard output. */
  say(text: string): void;
  /** Writes lines to standard error: how far long work is. */
  progress(text: string): void;
}

/** What a command is given besides the configuration. */
export type Given = Surroundings & Arguments;

/** A command of the command line. */
export interface Command extends Form {
  /** What it does, in a sentence for the usage; left out, the usage does not name it. */
  readonly meaning?: string;
  /** Answers the exit code that it asks for; undefined while it serves. */
  run(config: Config, given: Given): Promise<number | undefined>;
}
