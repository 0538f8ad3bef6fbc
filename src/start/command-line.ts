import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import { rebuildSqlite } from "../store/sqlite/rebuild-file.ts";

import { verifySqlite } from "../store/sqlite/verify/verify.ts";
import { StoreUnavailable } from "../store/store.ts";
import { type Arguments, type Form, readArguments, usageOf } from "./arguments.ts";
import { type BackupTools, backUp, restore } from "./backup.ts";
import { type Config, ConfigError, flagOf, readConfig, settings } from "./config.ts";
import { retire, rotateKeys } from "./keys.ts";
import { createLogs, type Logs } from "./log.ts";
import { hasMasterKey, logKeysFor } from "./log-keys.ts";
import { logIn } from "./log-path.ts";
import { printRebuild, printVerification, type Verify } from "./maintain.ts";
import { withLog } from "./offline.ts";
import { followSignals, holdHangups, takeStrayErrors } from "./process.ts";
import { projector } from "./projector.ts";
import { recover } from "./recover.ts";
import type { Decided, Running } from "./serve.ts";
import { acceptClockFlag, supervise, supervisedCommand } from "./supervisor.ts";

/** What surrounds a command: settings that are no flags, and where people read what it says. */
export interface Surroundings {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Writes lines to standard output. */
  say(text: string): void;
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
  return await command.run(config, { ...surroundings, ...given, argv: rest });
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

type Given = Surroundings & Arguments & { readonly argv: readonly string[] };

const clockFlag = { [acceptClockFlag]: "" };

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "serve",
    {
      meaning:
        "runs the service until SIGTERM or SIGINT. It is the default. --accept-clock takes the " +
        "clock for right where it is behind the log: see docs/operate.md.",
      flags: clockFlag,
      async run(config, { argv, flags, say }) {
        const logs = createLogs(config.logLevel, { isShared: config.processes > 1 });
        takeStrayErrors(logs);
        const release = holdHangups();
        const running = await serveOrSupervise(config, { argv, flags }, logs);
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
      flags: clockFlag,
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
        "it tells forgeries, too.",
      async run(config, { say }) {
        const path = logIn(config.dataDir);
        const keys = (await hasMasterKey(config)) ? logKeysFor(config) : undefined;
        const check: Verify = (report) => verifySqlite({ path, projector, keys }, report);
        return (await printVerification(path, check, say)) ? 0 : 1;
      },
    },
  ],
  [
    "backup",
    {
      operands: ["FILE|DIRECTORY"],
      flags: { "with-key": "" },
      meaning:
        "copies the log as it is at one moment into a new file, and verifies the copy. It may run " +
        "beside the service. The key goes into a file beside it only when that is asked for.",
      async run({ dataDir }, { operands: [target = ""], flags, say }) {
        const withKey = flags["with-key"] !== undefined;
        await backUp({ dataDir, target, withKey, nowMs: Date.now() }, backupTools(say));
        return 0;
      },
    },
  ],
  [
    "restore",
    {
      operands: ["FILE"],
      meaning:
        "verifies a backup and puts it into an empty data directory, with the key where that lies " +
        "beside it.",
      async run({ dataDir }, { operands: [backup = ""], say }) {
        await restore({ dataDir, backup }, backupTools(say));
        return 0;
      },
    },
  ],
  [
    "keys",
    {
      operands: ["rotate|retire", "[ID]"],
      meaning:
        "rotate does the next step of a rotation in the key file: it adds a new key, and puts it in " +
        "front the next time. retire seals anew what the key with the ID sealed, so that it can go.",
      async run(config, { operands: [step = "", keyId], say }) {
        if (step === "rotate" && keyId === undefined) return await printRotation(config, say);
        if (step === "retire" && keyId !== undefined) return await printRetired(config, keyId, say);
        throw new ConfigError("keys takes rotate, or retire and the id of a key: see --help");
      },
    },
  ],
  [
    "token",
    {
      flags: { user: "NAME" },
      meaning:
        "gives a user, by name or id, another token, and prints it: for an owner who has lost " +
        "theirs. It may run beside the service.",
      async run(config, { flags: { user }, say }) {
        if (user === undefined) throw new ConfigError("token needs --user NAME: see --help");
        say(await withLog(config, (offline) => recover(offline, user, randomBytes)));
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
      async run(config, { say }) {
        const path = logIn(config.dataDir);
        const options = { path, projector, keys: logKeysFor(config), random: randomBytes };
        await printRebuild(path, () => rebuildSqlite(options), say);
        return 0;
      },
    },
  ],
]);

async function printRotation(config: Config, say: Surroundings["say"]): Promise<number> {
  const { keyId, step } = await withLog(config, (offline) =>
    rotateKeys(offline, resolve(config.dataDir), randomBytes),
  );
  say(
    step === "added"
      ? `Added the key ${keyId}, which can open from the next start. Start each process again, ` +
          "then run this once more."
      : `Put the key ${keyId} in front, which seals from the next start. Start each process again.`,
  );
  return 0;
}

async function printRetired(
  config: Config,
  keyId: string,
  say: Surroundings["say"],
): Promise<number> {
  const { sealedAnew, pendingUntilMs } = await withLog(config, (offline) => retire(offline, keyId));
  const [count, were] = sealedAnew === 1 ? ["1 secret", "was"] : [`${sealedAnew} secrets`, "were"];
  say(`${count} ${were} sealed anew.`);
  if (pendingUntilMs === undefined) {
    say(`Nothing of use is sealed with the key ${keyId} any more: take it out of the keys.`);
    return 0;
  }
  const until = Number.isFinite(pendingUntilMs)
    ? `a code that is good until ${new Date(pendingUntilMs).toISOString()}`
    : "a code whose mail has not left";
  say(`The key ${keyId} has also sealed ${until}: run this again then.`);
  return 1;
}

function backupTools(say: Surroundings["say"]): BackupTools {
  const verify =
    (path: string): Verify =>
    (report) =>
      verifySqlite({ path, projector }, report);
  return { random: randomBytes, verify, say };
}

async function serveOrSupervise(
  config: Config,
  { argv, flags }: Pick<Given, "argv" | "flags">,
  logs: Logs,
): Promise<Running> {
  if (config.processes > 1) return await supervise(config, argv, logs.log);
  // Who only starts others needs nothing of it.
  const { serve } = await import("./serve.ts");
  return await serve(config, logs, decidedBy(flags));
}

/** What its flags decide for one start. */
function decidedBy(flags: Given["flags"]): Decided {
  return { acceptsClock: flags[acceptClockFlag] !== undefined };
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
