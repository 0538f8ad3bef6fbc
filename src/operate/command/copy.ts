import { resolve } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { readGiven } from "../../file.ts";
import { findLog } from "../../log/find.ts";
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
    "copies a snapshot of the log into a new file, verifies the copy, and writes its head " +
    "beside it. It may run while the service runs. With --with-key it also copies the key " +
    "file.",
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
    "verifies a backup and copies it into an empty data directory, with the head and the " +
    "keys beside it.",
  async run(config, { operands: [backup = ""], ...says }) {
    await restore(config, backup, says);
    return 0;
  },
};

/** Writes a log as lines of JSON. */
export const exportCommand: Command = {
  operands: ["FILE"],
  meaning:
    "writes the events as lines of JSON, with secrets sealed. It may run while the service " +
    "runs. If the file is an earlier export, it appends the events since then.",
  async run(config, { operands: [file = ""], say }) {
    const count = await exportLog(await findLog(config), resolve(file));
    say(`Exported ${count} event${count === 1 ? "" : "s"} to ${resolve(file)}.`);
    return 0;
  },
};

/** Makes a log of such lines. */
export const importCommand: Command = {
  operands: ["FILE"],
  meaning:
    "creates a log from an export and verifies it. The target is a data directory that is " +
    "empty or has only the keys, or a database without a log.",
  async run(config, { operands: [file = ""], ...says }) {
    await importLog(config, resolve(file), says);
    return 0;
  },
};

/** Moves a log from a file to a database, and back. */
export const copyCommand: Command = {
  flags: { to: "DIRECTORY|URL", "to-file": "FILE", until: "POSITION" },
  meaning:
    "copies the events unchanged to a database (postgres://…) or a data directory, derives " +
    "the objects there, and verifies both logs. It may run while the service runs, and " +
    "continues after an interruption. Put a URL with a password in IAM_COPY_TO or in a " +
    "file. With --until, it copies a damaged log up to that position, and appends an event " +
    "that records the cut.",
  async run(config, { flags, environment, ...says }) {
    const { to, "to-file": file, until } = flags;
    if (until !== undefined && !/^[1-9]\d{0,17}$/.test(until)) {
      throw new ConfigError("--until must be a position: a whole number, at least 1");
    }
    const given = file === undefined ? undefined : await readGiven(file);
    const target = given?.trim() ?? to ?? environment.IAM_COPY_TO ?? "";
    if (target === "" || (file !== undefined && to !== undefined)) {
      throw new ConfigError("copy needs one of --to, --to-file and IAM_COPY_TO: see --help");
    }
    await copyLog(config, target, says, until === undefined ? undefined : BigInt(until));
    return 0;
  },
};
