import { randomBytes } from "node:crypto";
import { ConfigError } from "../../config/config.ts";
import {
  checkpointKeyOf,
  checkpointOf,
  headsOf,
  provedBy,
  readCheckpoint,
  withUnread,
} from "../../log/checkpoint.ts";
import { findTools } from "../../log/find-tools.ts";
import { hasMasterKey, logKeysFor } from "../../log/log-keys.ts";
import { printRebuild, printVerification, type Verify } from "../../log/maintain.ts";
import type { Command } from "./command.ts";

/** Proves that a log is whole. */
export const verifyCommand: Command = {
  meaning:
    "proves that the log and all that follows from it are whole, and changes nothing. It may " +
    "run beside the service. It ends with 1 where something is damaged. With the master key " +
    "it tells forgeries, too; with a checkpoint, and without any secret, that all up to it " +
    "is there as it was.",
  flags: { checkpoint: "FILE", "public-key": "FILE" },
  async run(config, { flags, say, progress }) {
    const tools = await findTools(config);
    const keys = (await hasMasterKey(config)) ? logKeysFor(config) : undefined;
    const { checkpoint, "public-key": publicKey } = flags;
    if (publicKey !== undefined && checkpoint === undefined) {
      throw new ConfigError("--public-key needs --checkpoint: see --help");
    }
    const signed =
      checkpoint === undefined ? undefined : await readCheckpoint(checkpoint, publicKey, tools);
    const check: Verify = async (report) => {
      const { heads: kept, unread } = await headsOf(config, tools, keys, report);
      const heads = signed ? [...kept, signed] : kept;
      const verified = await tools.verify({ keys, heads, progress }, report);
      return withUnread(verified, unread, heads.length);
    };
    if (!(await printVerification(tools.name, check, say))) return 1;
    if (signed !== undefined) say(provedBy(signed));
    return 0;
  },
};

/** Says where a log ends, so that others can keep it. */
export const checkpointCommand: Command = {
  meaning:
    "prints where the log ends, signed, for auditors. It needs the master key. --public-key " +
    "prints the key that checks the signatures.",
  flags: { "public-key": "" },
  async run(config, { flags, say }) {
    const print = flags["public-key"] === undefined ? checkpointOf : checkpointKeyOf;
    say(await print(config));
    return 0;
  },
};

/** Makes what follows from a log anew. */
export const rebuildCommand: Command = {
  meaning:
    "makes all that follows from the log anew. Stop the service first, and verify. A log " +
    "that is damaged itself is refused.",
  async run(config, { say, progress }) {
    const { name, rebuild } = await findTools(config);
    const options = { progress, keys: logKeysFor(config), random: randomBytes };
    await printRebuild(name, () => rebuild(options), say);
    return 0;
  },
};
