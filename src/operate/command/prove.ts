import { randomBytes } from "node:crypto";
import { ConfigError } from "../../config/config.ts";
import {
  checkpointKeyOf,
  checkpointOf,
  headsOf,
  identityOf,
  provedBy,
  readCheckpoint,
  withUnread,
} from "../../log/checkpoint.ts";
import { besideErasures, noteUnattested } from "../../log/erasure-proof.ts";
import { findLog } from "../../log/find.ts";
import { hasMasterKey, logKeysFor } from "../../log/log-keys.ts";
import { printRebuild, printVerification, type Verify } from "../../log/maintain.ts";
import type { Command } from "./command.ts";

/** Proves that a log is whole. */
export const verifyCommand: Command = {
  meaning:
    "checks that the log and everything derived from it are undamaged, and changes nothing. " +
    "It may run while the service runs. The exit code is 1 if something is damaged. With " +
    "the master key it also detects forgeries. With a checkpoint, it needs no secret to " +
    "prove that all events up to it are unchanged. Without the key, erasures behind the " +
    "checkpoint are listed, and the exit code is 1 unless --unattested-erasures is given.",
  flags: { checkpoint: "FILE", "public-key": "FILE", "unattested-erasures": "" },
  async run(config, { flags, say, progress }) {
    const place = await findLog(config);
    const keys = (await hasMasterKey(config)) ? logKeysFor(config) : undefined;
    const { checkpoint, "public-key": publicKey, "unattested-erasures": accepted } = flags;
    if (checkpoint === undefined) {
      for (const flag of ["public-key", "unattested-erasures"] as const) {
        if (flags[flag] !== undefined)
          throw new ConfigError(`--${flag} needs --checkpoint: see --help`);
      }
    }
    const signed =
      checkpoint === undefined ? undefined : await readCheckpoint(checkpoint, publicKey, place);
    const attested =
      signed === undefined || keys !== undefined ? undefined : noteUnattested(signed.head.position);
    const check: Verify = async (report) => {
      const { heads: kept, unread } = await headsOf(config, place, keys, report);
      const heads = signed ? [...kept, signed] : kept;
      const own = keys && (await identityOf(place, keys));
      const verified = await besideErasures(
        { ...config, own },
        (lists) => {
          const erasures = { lists, attested };
          return place.verify({ keys, heads, erasures, progress }, report);
        },
        report,
      );
      return withUnread(verified, unread, heads.length);
    };
    if (!(await printVerification(place.name, check, say))) return 1;
    if (signed !== undefined) say(provedBy(signed));
    const isAttested = attested === undefined || attested.tell(say);
    return isAttested || accepted !== undefined ? 0 : 1;
  },
};

/** Says where a log ends, so that others can keep it. */
export const checkpointCommand: Command = {
  meaning:
    "prints the signed end of the log for auditors. It needs the master key. --public-key " +
    "prints the key that checks the signature.",
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
    "derives all objects from the log again. Stop the service first, and run verify. A " +
    "damaged log is refused.",
  async run(config, { say, progress }) {
    const { name, rebuild } = await findLog(config);
    const options = { progress, keys: logKeysFor(config), random: randomBytes };
    await printRebuild(name, () => rebuild(options), say);
    return 0;
  },
};
