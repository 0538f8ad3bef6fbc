import { resolve } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { readIfThere } from "../../file.ts";
import { findTools } from "../../log/find-tools.ts";
import { exportLog } from "../../log/transfer.ts";
import { backUp, restore } from "../backup.ts";
import { copyLog } from "../copy.ts";
import { importLog } from "../import.ts";
import type { Command } from "./command.ts";

/** Copies a log while it is served. */
export const backupCommand: Command = {
  operands: ["FILE|DIRECTORY"],
  flags: { "with-key": "" },
  meaning:
    "copies the log as it is at one moment into a new file, verifies the copy, and puts its head " +
    "beside it. It may run beside the service. The keys go into a file beside it only when that " +
    "is asked for.",
  async run(config, { operands: [target = ""], flags, ...says }) {
    const withKey = flags["with-key"] !== undefined;
    await backUp(config, { target, withKey, nowMs: Date.now() }, says);
    return 0;
  },
};

/** Puts a copy in the place of a log. */
export const restoreCommand: Command = {
  operands: ["FILE"],
  meaning:
    "verifies a backup and puts it into an empty data directory, with the head and the keys that " +
    "lie beside it.",
  async run(config, { operands: [backup = ""], ...says }) {
    await restore(config, backup, says);
    return 0;
  },
};

/** Writes a log as lines of JSON. */
export const exportCommand: Command = {
  operands: ["FILE"],
  meaning:
    "writes the events as lines of JSON, sealed as they are. It may run beside the service; into " +
    "the same file again, it goes on where that ends.",
  async run(config, { operands: [file = ""], say }) {
    const count = await exportLog(await findTools(config), resolve(file));
    say(`Exported ${count} event${count === 1 ? "" : "s"} to ${resolve(file)}.`);
    return 0;
  },
};

/** Makes a log of such lines. */
export const importCommand: Command = {
  operands: ["FILE"],
  meaning:
    "makes a log of an export in an empty data directory, or in one that has the keys alone, or " +
    "in a database without a log, and verifies it.",
  async run(config, { operands: [file = ""], ...says }) {
    await importLog(config, resolve(file), says);
    return 0;
  },
};

/** Moves a log from a file to a database, and back. */
export const copyCommand: Command = {
  flags: { to: "DIRECTORY|URL", "to-file": "FILE", until: "POSITION" },
  meaning:
    "copies the events to a database (postgres://…) or a data directory as they are, makes there " +
    "what follows from them, and verifies both. It may run beside the service, and goes on where " +
    "it was cut off. A URL with a password belongs in IAM_COPY_TO, or in a file. With a " +
    "position, it copies the events of a damaged log up to there, and adds one that says what " +
    "was left out.",
  async run(config, { flags, environment, ...says }) {
    const { to, "to-file": file, until } = flags;
    if (until !== undefined && !/^[1-9]\d{0,17}$/.test(until)) {
      throw new ConfigError("--until must be a position: a whole number from 1 on");
    }
    const given = file === undefined ? undefined : await readIfThere(file);
    const target = given?.trim() ?? to ?? environment.IAM_COPY_TO ?? "";
    if (target === "" || (file !== undefined && to !== undefined)) {
      throw new ConfigError("copy needs one of --to, --to-file and IAM_COPY_TO: see --help");
    }
    await copyLog(config, target, says, until === undefined ? undefined : BigInt(until));
    return 0;
  },
};
