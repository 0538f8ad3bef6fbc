import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type Config, ConfigError } from "../../config/config.ts";
import { publicUrlOf } from "../../config/public-url.ts";
import { withLog } from "../../log/offline.ts";
import { leaveOwnerLink } from "../../start/owner-link.ts";
import { readKeyFile, retire, rotateKeys } from "../keys.ts";
import { recover } from "../recover.ts";
import { rotateSigningKeys } from "../signing.ts";
import type { Command, Surroundings } from "./command.ts";

/** Gives who has lost their token another one. */
export const tokenCommand: Command = {
  flags: { user: "NAME" },
  needed: ["user"],
  meaning:
    "creates and prints another token for a user (name or id), for example an owner who " +
    "lost theirs. It may run while the service runs.",
  async run(config, { flags: { user = "" }, say }) {
    say(await withLog(config, (offline) => recover(offline, user, randomBytes)));
    return 0;
  },
};

/** Lets another person become an owner. */
export const ownerLinkCommand: Command = {
  meaning:
    "writes a link to owner.link in the data directory, and prints the path. The person who " +
    "opens the link becomes an owner of the instance; it works once, within a day. The " +
    "previous link becomes invalid. It may run while the service runs.",
  async run(config, { say }) {
    const [url, dataDir] = [publicUrlOf(config), resolve(config.dataDir)];
    const options = { url, dataDir, random: randomBytes };
    const path = await withLog(config, ({ execute }) => leaveOwnerLink({ execute, ...options }));
    say(`The link is in ${path}, and leads to ${url}.`);
    return 0;
  },
};

/** Replaces the keys that seal secrets. */
export const keysCommand: Command = {
  operands: ["rotate|retire", "[ID]"],
  meaning:
    "rotate does the next step of a rotation in the key file: first it adds a new key, then " +
    "it moves that key to the front. retire seals the secrets of the key ID with the newest " +
    "key, so that the old key can be removed.",
  async run(config, { operands: [step = "", keyId], say }) {
    if (step === "rotate" && keyId === undefined) return await printRotation(config, say);
    if (step === "retire" && keyId !== undefined) return await printRetired(config, keyId, say);
    throw new ConfigError("keys needs rotate, or retire and the id of a key: see --help");
  },
};

/** Replaces the keys that tokens are signed with. */
export const signingCommand: Command = {
  operands: ["rotate"],
  flags: { algorithm: "RS256|ES256", now: "" },
  meaning:
    "adds a signing key for tokens while the service runs, without a restart. The key is " +
    "published at once and signs after an hour. With --now it signs at once, and tokens of " +
    "all earlier keys become invalid: use it if such a key was stolen.",
  async run(config, { operands: [step], flags, say }) {
    if (step !== "rotate") throw new ConfigError("signing needs rotate: see --help");
    const wanted = { algorithm: flags.algorithm, isUrgent: flags.now !== undefined };
    const added = await withLog(config, (offline) => rotateSigningKeys(offline, wanted));
    const from = new Date(added.signsMs).toISOString();
    say(`Added the key ${added.keyId} (${added.algorithm}), which signs from ${from}.`);
    return 0;
  },
};

async function printRotation(config: Config, say: Surroundings["say"]): Promise<number> {
  if (config.masterKeys !== undefined) {
    throw new ConfigError("The keys are in IAM_MASTER_KEY: rotate them there by hand.");
  }
  const file = await readKeyFile(resolve(config.dataDir));
  const { keyId, step } = await withLog(config, (offline) =>
    rotateKeys(offline, file, randomBytes),
  );
  const [done, then] =
    step === "added"
      ? [`Added the key ${keyId}, which opens secrets`, ", and only then run this again"]
      : [`Put the key ${keyId} in front, which seals secrets`, ""];
  say(
    `${done} from the next start. Restart each process of the service${then}. Until then, ` +
      "/readyz of each process that has other keys says so.",
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
  say(`${count} ${were} sealed again.`);
  if (pendingUntilMs === undefined) {
    say(
      `No secret in use is sealed with the key ${keyId}: remove it from the keys an hour after ` +
        "the last start, when logins and registrations that had begun are over.",
    );
    return 0;
  }
  const until = Number.isFinite(pendingUntilMs)
    ? `a code that is valid until ${new Date(pendingUntilMs).toISOString()}`
    : "a code whose mail has not been sent";
  say(`The key ${keyId} has also sealed ${until}: run this again after that.`);
  return 1;
}
