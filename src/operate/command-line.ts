import { ConfigError, flagOf, readConfig } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { supervisedCommand } from "../start/supervisor.ts";
import { readArguments, usageOf } from "./arguments.ts";
import type { Command, Surroundings } from "./command/command.ts";
import {
  backupCommand,
  copyCommand,
  exportCommand,
  importCommand,
  restoreCommand,
} from "./command/copy.ts";
import { eraseVacuumCommand, migrateCommand } from "./command/migrate.ts";
import { checkpointCommand, rebuildCommand, verifyCommand } from "./command/prove.ts";
import { keysCommand, ownerLinkCommand, signingCommand, tokenCommand } from "./command/recover.ts";
import { serveCommand, supervisedService } from "./command/serve.ts";
import { versions } from "./versions.ts";

/**
 * Runs a command line and answers the exit code that it asks for; undefined while it serves.
 * Rejects with what `sentenceOf` (`sentence.ts`) makes a sentence of.
 */
export async function runCommand(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number | undefined> {
  const [name = "serve", ...rest] = argv[0]?.startsWith("-") ? ["serve", ...argv] : argv;
  if (argv.includes("--help") || name === "help") {
    surroundings.say(help());
    return 0;
  }
  if (argv.includes("--version") || name === "version") {
    surroundings.say(await versions());
    return 0;
  }
  const command = commands.get(name);
  if (command === undefined) {
    // Anything but a plain word may be the value of a flag, and so a secret.
    const isWord = /^[a-z]{1,20}$/.test(name);
    const what = isWord ? `unknown command ${name}` : "the first argument is not a command or flag";
    throw new ConfigError(`${what}: see --help`);
  }
  const given = readArguments(rest, name, command);
  const config = readConfig(given.settings, surroundings.environment);
  return await command.run(config, { ...surroundings, ...given });
}

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["serve", serveCommand],
  [supervisedCommand, supervisedService],
  ["verify", verifyCommand],
  ["checkpoint", checkpointCommand],
  ["backup", backupCommand],
  ["restore", restoreCommand],
  ["export", exportCommand],
  ["import", importCommand],
  ["copy", copyCommand],
  ["keys", keysCommand],
  ["signing", signingCommand],
  ["token", tokenCommand],
  ["owner-link", ownerLinkCommand],
  ["rebuild", rebuildCommand],
  ["migrate", migrateCommand],
  ["erase-vacuum", eraseVacuumCommand],
]);

const versionMeaning = "prints the version of the program, of the logs that it reads, and of Node.";

function help(): string {
  const lines = Object.values(settings).map(
    ({ name, default: value, meaning }) =>
      `  ${flagOf(name).padEnd(22)} ${name.padEnd(24)} ${meaning} [${value}]`,
  );
  const described = [...commands].flatMap(([name, { meaning, ...form }]) =>
    meaning === undefined ? [] : wrapped(`${usageOf(name, form)}: ${meaning}`),
  );
  return `Usage: npx node src/main.js [command] [flags]

${described.join("\n")}
${wrapped(`version, --version: ${versionMeaning}`)}

Each setting is a flag or an environment variable; the default stands in brackets:
${lines.join("\n")}`;
}

/** The text in lines of at most 100 characters, all but the first indented. */
function wrapped(text: string): string {
  return text.replace(/(.{1,97})(?: |$)/g, "$1\n  ").trimEnd();
}
