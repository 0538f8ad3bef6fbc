import { isConfidential } from "../notify/channel/sms.ts";
import { withNearest } from "./nearest.ts";
import { Invalid, type Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** What the service cannot start with; the message says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Settings = typeof settings;

export type Config = {
  readonly [Key in keyof Settings]: Exclude<ReturnType<Settings[Key]["parse"]>, Invalid>;
};

/**
 * The configuration from flags (`--data-dir DIR` or `--data-dir=DIR`), then environment, then
 * defaults. Throws a ConfigError that names every setting that is wrong, and every unknown flag.
 */
export function readConfig(
  flags: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): Config {
  const problems: string[] = [];
  const given = readFlags(flags, problems);
  const entries = Object.entries(settings).map(([key, setting]) => {
    const text = textOf(setting, given, environment);
    const value = setting.parse(text);
    if (value instanceof Invalid) {
      const given = "isSecret" in setting ? "" : `: "${text}"`;
      const rule = ` must be ${value.mustBe}${given}`;
      problems.push(labelOf(setting) + (value.problem === undefined ? rule : `: ${value.problem}`));
    }
    return [key, value];
  });
  const config = Object.fromEntries(entries) as Config;
  problems.push(...halves(config, "tlsCert", "tlsKey"), ...halves(config, "smsUrl", "smsKey"));
  const { smsUrl, cleartext } = config;
  if (problems.length === 0 && smsUrl !== "" && !cleartext && !isConfidential(smsUrl)) {
    const [url, permit] = [labelOf(settings.smsUrl), labelOf(settings.cleartext)];
    problems.push(`${url} must be https, or http to this machine, unless ${permit} is true`);
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

/** The text of a setting: from its flag, else the environment, else its default. */
function textOf(
  { name, default: usual }: Pick<Setting<unknown>, "name" | "default">,
  given: ReadonlyMap<string, string>,
  environment: { readonly [name: string]: string | undefined },
): string {
  return given.get(name) ?? environment[name] ?? usual;
}

/** The settings whose text is not their default, by their names; of secrets only that they are. */
export function differingSettings(
  flags: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } {
  const given = readFlags(flags, []);
  const texts = Object.values(settings).flatMap((setting) => {
    const text = textOf(setting, given, environment);
    const isUsual = text === setting.default;
    return isUsual ? [] : [[setting.name, "isSecret" in setting ? "…" : text] as const];
  });
  return Object.fromEntries(texts);
}

/** What is wrong where one of two settings is given that only make sense together. */
function halves(config: Config, one: keyof Settings, other: keyof Settings): readonly string[] {
  if ((config[one] === "") === (config[other] === "")) return [];
  const [missing, there] = config[one] === "" ? [one, other] : [other, one];
  const names = [labelOf(settings[missing]), labelOf(settings[there])];
  return [`${names[0]} must be given together with ${names[1]}`];
}

/** How messages call a setting, so that a reader knows what to change. */
export function labelOf({ name }: { readonly name: string }): string {
  return `${name} (${flagOf(name)})`;
}

export function flagOf(name: string): string {
  return `--${name.slice("IAM_".length).toLowerCase().replaceAll("_", "-")}`;
}

function readFlags(flags: readonly string[], problems: string[]): ReadonlyMap<string, string> {
  const names = new Map(Object.values(settings).map(({ name }) => [flagOf(name), name]));
  const given = new Map<string, string>();
  for (let index = 0; index < flags.length; index += 1) {
    const [flag = "", inline] = (flags[index] ?? "").split(/=(.*)/s, 2);
    const name = names.get(flag);
    if (name === undefined) {
      // Anything but a flag may be the value of another, and so a secret.
      const isFlag = /^--?[a-z][a-z0-9-]*$/i.test(flag);
      const what = isFlag
        ? `unknown flag ${withNearest(flag, [...names.keys()])}`
        : `argument ${index + 1} is not a flag`;
      problems.push(`${what}: see --help`);
      // What follows is its value, and no second mistake.
      if (isFlag && inline === undefined && flags[index + 1]?.startsWith("-") === false) index += 1;
      continue;
    }
    if (inline === undefined) index += 1;
    const value = inline ?? flags[index];
    if (value === undefined) problems.push(`${flag} needs a value`);
    else given.set(name, value);
  }
  return given;
}
