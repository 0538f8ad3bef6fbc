import { randomBytes } from "node:crypto";
import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import { rebuildSqlite } from "../store/sqlite/rebuild-file.ts";

import { verifySqlite } from "../store/sqlite/verify/verify.ts";
import { StoreUnavailable } from "../store/store.ts";
import { type Arguments, type Form, readArguments, usageOf } from "./arguments.ts";
import {
  checkpointKeyOf,
  checkpointOf,
  headsOf,
  readCheckpoint,
  withUnread,
} from "./checkpoint.ts";
import { type Config, ConfigError, flagOf, readConfig, settings } from "./config.ts";
import { createLogs, type Logs } from "./log.ts";
import { hasMasterKey, logKeysFor } from "./log-keys.ts";
import { logIn } from "./log-path.ts";
import { printRebuild, printVerification, type Verify } from "./maintain.ts";
import { followSignals, holdHangups, takeStrayErrors } from "./process.ts";
import { projector } from "./projector.ts";
import type { Decided, Running } from "./serve.ts";
import { supervise, supervisedCommand } from "./supervisor.ts";

/** What surrounds a command: settings that are no flags, and where people read what it says. */
export interface Surroundings {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Writes lines to standard output. */
  say(text: string): void;
  /** Writes lines to standard error: how far long work is. */
  progress(text: string): void;
}

/**
 * Runs a command line and answers the exit code that it asks for; undefined while it serves.
 * Rejects with what `sentenceOf` makes a sentence of.
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
  const command = commands.get(name);
  if (command === undefined) {
    // Anything but a plain word may be the value of a flag, and so a secret.
    const isWord = /^[a-z]{1,20}$/.test(name);
    const what = isWord ? `unknown command ${name}` : "the first argument is no command or flag";
    throw new ConfigError(`${what}: see --help`);
  }
  const given = readArguments(rest, name, command);
  const config = readConfig(given.settings, surroundings.environment);
  return await command.run(config, { ...surroundings, ...given });
}

/** What standard error says where a command failed: a sentence, or the whole of a defect. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = [ConfigError, FileUnusable, KeyringInvalid, StoreUnavailable];
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? error.message : (error.stack ?? error.message);
}

interface Command extends Form {
  /** What it does, in a sentence for the usage; left out, the usage does not name it. */
  readonly meaning?: string;
  run(config: Config, given: Given): Promise<number | undefined>;
}

/** What an operator decides for one start, and no later one. */
const serveFlags = { "accept-clock": "", "accept-history-from": "BACKUP" } as const;

type Given = Surroundings & Arguments;

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "serve",
    {
      meaning:
        "runs the service until SIGTERM or SIGINT. It is the default. --accept-clock takes the " +
        "clock for right where it is behind the log: see docs/operate.md. A log that is not the " +
        "one that there was is refused, unless you accept it as what goes on from a backup.",
      flags: serveFlags,
      async run(config, { settings: lasting, flags, say }) {
        const logs = createLogs(config.logLevel, { isShared: config.processes > 1 });
        takeStrayErrors(logs);
        const release = holdHangups();
        const running = await serveOrSupervise(config, { settings: lasting, flags }, logs);
        followSignals(running, logs);
        release();
        if (running.welcome !== undefined) say(running.welcome);
        say(`listening on ${running.url}`);
        return undefined;
      },
    },
  ],
  [
    supervisedCommand,
    {
      flags: serveFlags,
      async run(config, { flags }) {
        const { serveSupervised } = await import("./supervised.ts");
        await serveSupervised(config, decidedBy(flags), sentenceOf);
        return undefined;
      },
    },
  ],
  [
    "verify",
    {
      meaning:
        "proves that the log and all that follows from it are whole, and changes nothing. It may " +
        "run beside the service. It ends with 1 where something is damaged. With the master key " +
        "it tells forgeries, too; with a checkpoint, and without any secret, that all up to it " +
        "is there as it was.",
      flags: { checkpoint: "FILE", "public-key": "FILE" },
      async run(config, { flags, say, progress }) {
        const path = logIn(config.dataDir);
        const keys = (await hasMasterKey(config)) ? logKeysFor(config) : undefined;
        const { checkpoint, "public-key": publicKey } = flags;
        const check: Verify = async (report) => {
          const { heads: kept, unread } = await headsOf(config, path, keys, report);
          const signed = checkpoint && (await readCheckpoint(checkpoint, publicKey, path));
          const heads = signed ? [...kept, signed] : kept;
          const verified = await verifySqlite({ path, projector, keys, heads, progress }, report);
          return withUnread(verified, unread, heads.length);
        };
        return (await printVerification(path, check, say)) ? 0 : 1;
      },
    },
  ],
  [
    "checkpoint",
    {
      meaning:
        "prints where the log ends, signed, for whoever is to trust nobody here. It needs the " +
        "master key. With the flag it prints what checks such signatures.",
      flags: { "public-key": "" },
      async run(config, { flags, say }) {
        const print = flags["public-key"] === undefined ? checkpointOf : checkpointKeyOf;
        say(await print(config));
        return 0;
      },
    },
  ],
  [
    "rebuild",
    {
      meaning:
        "makes all that follows from the log anew. Stop the service first, and verify. A log " +
        "that is damaged itself is refused.",
      async run(config, { say, progress }) {
        const path = logIn(config.dataDir);
        const options = {
          path,
          projector,
          progress,
          keys: logKeysFor(config),
          random: randomBytes,
        };
        await printRebuild(path, () => rebuildSqlite(options), say);
        return 0;
      },
    },
  ],
]);

/** What its flags decide for one start. */
function decidedBy(flags: Arguments["flags"]): Decided {
  const acceptsClock = flags["accept-clock"] !== undefined;
  return { acceptsClock, historyFrom: flags["accept-history-from"] };
}

/** The same flags as they are given. */
function decisionsIn(flags: Arguments["flags"]): readonly string[] {
  return Object.entries(serveFlags).flatMap(([name, value]) => {
    const given = flags[name];
    if (given === undefined) return [];
    return value === "" ? [`--${name}`] : [`--${name}=${given}`];
  });
}

async function serveOrSupervise(
  config: Config,
  { settings: lasting, flags }: Pick<Given, "settings" | "flags">,
  logs: Logs,
): Promise<Running> {
  if (config.processes > 1) {
    return await supervise(config, lasting, logs.log, decisionsIn(flags));
  }
  // Who only starts others needs nothing of it.
  const { serve } = await import("./serve.ts");
  return await serve(config, logs, decidedBy(flags));
}

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

Each setting is a flag or an environment variable; the default stands in brackets:
${lines.join("\n")}`;
}

/** The text in lines of at most 100 characters, all but the first indented. */
function wrapped(text: string): string {
  return text.replace(/(.{1,97})(?: |$)/g, "$1\n  ").trimEnd();
}
