import { ConfigError } from "../config/config.ts";

/** What a command takes besides the settings. */
export interface Form {
  /** What its operands are called, for example FILE; one in brackets may be left out. */
  readonly operands?: readonly string[];
  /** Its own flags, without dashes, and what the value of each is called; "" where it has none. */
  readonly flags?: { readonly [name: string]: string };
  /** Those of its flags that it cannot do without. */
  readonly needed?: readonly string[];
}

/** What was given to a command. */
export interface Arguments {
  readonly operands: readonly string[];
  /** The values of its own flags; "" for one that has none. */
  readonly flags: { readonly [name: string]: string | undefined };
  /** Everything else, in the order in which it was given. */
  readonly settings: readonly string[];
}

/**
 * Takes what is the command's own out of its arguments (`--flag VALUE` or `--flag=VALUE`). Throws a
 * ConfigError where an operand or a needed flag is missing, an operand is given to a command that
 * takes none, or a flag of its own has no value or one too many.
 */
export function readArguments(argv: readonly string[], command: string, form: Form): Arguments {
  const own = new Map(Object.entries(form.flags ?? {}));
  const wanted = form.operands ?? [];
  const flags: Record<string, string> = {};
  const [operands, settings]: [string[], string[]] = [[], []];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? "";
    const [name = "", inline] = argument.replace(/^--/, "").split(/=(.*)/s, 2);
    const value = argument.startsWith("--") ? own.get(name) : undefined;
    if (value === undefined) {
      const isFlag = argument.startsWith("-");
      if (!isFlag && index === 0 && wanted.length === 0) {
        const how = "it takes only flags, for example --data-dir DIRECTORY for another log";
        throw new ConfigError(`${command} takes no file or other argument: ${how}; see --help`);
      }
      if (!isFlag && operands.length < wanted.length) operands.push(argument);
      else settings.push(argument);
      // The value of a setting is not an operand.
      const next = argv[index + 1];
      if (!isFlag || inline !== undefined || next === undefined) continue;
      settings.push(next);
      index += 1;
    } else if (value === "") {
      if (inline !== undefined) throw new ConfigError(`--${name} takes no value`);
      flags[name] = "";
    } else {
      if (inline === undefined) index += 1;
      const text = inline ?? argv[index];
      if (text === undefined) throw new ConfigError(`--${name} needs ${value}`);
      flags[name] = text;
    }
  }
  const missing = wanted[operands.length];
  if (missing !== undefined && !missing.startsWith("["))
    throw new ConfigError(`${command} needs ${missing}: see --help`);
  for (const name of form.needed ?? []) {
    if (flags[name] === undefined)
      throw new ConfigError(`${command} needs --${name} ${own.get(name)}: see --help`);
  }
  return { operands, flags, settings };
}

/** How a command is written, as its usage shows it. */
export function usageOf(command: string, { operands = [], flags = {}, needed = [] }: Form): string {
  const own = Object.entries(flags).map(([name, value]) => {
    const written = value === "" ? `--${name}` : `--${name} ${value}`;
    return needed.includes(name) ? written : `[${written}]`;
  });
  return [command, ...operands, ...own].join(" ");
}
