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
  meaning:
    "gives a user, by name or id, another token, and prints it: for an owner who has lost " +
    "theirs. It may run beside the service.",
  async run(config, { flags: { user }, say }) {
    if (user === undefined) throw new ConfigError("token needs --user NAME: see --help");
    say(await withLog(config, (offline) => recover(offline, user, randomBytes)));
    return 0;
  },
};

/** Lets another person become an owner. */
export const ownerLinkCommand: Command = {
  meaning:
    "leaves a link in owner.link of the data directory, and prints where: whoever opens it " +
    "becomes an owner of the instance, once and within a day. The link before is good no " +
    "more. It may run beside the service.",
  async run(config, { say }) {
    const [url, dataDir] = [publicUrlOf(config), resolve(config.dataDir)];
    const place = { url, dataDir, random: randomBytes };
    const path = await withLog(config, ({ execute }) => leaveOwnerLink({ execute, ...place }));
    say(`The link is in ${path}, and leads to ${url}.`);
    return 0;
  },
};

/** Replaces the keys that seal secrets. */
export const keysCommand: Command = {
  operands: ["rotate|retire", "[ID]"],
  meaning:
    "rotate does the next step of a rotation in the key file: it adds a new key, and puts it in " +
    "front the next time. retire seals anew what the key with the ID sealed, so that it can go.",
  async run(config, { operands: [step = "", keyId], say }) {
    if (step === "rotate" && keyId === undefined) return await printRotation(config, say);
    if (step === "retire" && keyId !== undefined) return await printRetired(config, keyId, say);
    throw new ConfigError("keys takes rotate, or retire and the id of a key: see --help");
  },
};

/** Replaces the keys that tokens are signed with. */
export const signingCommand: Command = {
  operands: ["rotate"],
  flags: { algorithm: "RS256|ES256", now: "" },
  meaning:
    "adds a key to sign tokens with, beside the service, which need not be started again. It is " +
    "published at once and signs after an hour. With --now it signs at once, and what others " +
    "have signed is good no more: for when somebody else has them.",
  async run(config, { operands: [step], flags, say }) {
    if (step !== "rotate") throw new ConfigError("signing takes rotate: see --help");
    const wanted = { algorithm: flags.algorithm, isUrgent: flags.now !== undefined };
    const added = await withLog(config, (offline) => rotateSigningKeys(offline, wanted));
    const from = new Date(added.signsMs).toISOString();
    say(`Added the key ${added.keyId} (${added.algorithm}), which signs from ${from}.`);
    return 0;
  },
};

async function printRotation(config: Config, say: Surroundings["say"]): Promise<number> {
  const file = await readKeyFile(resolve(config.dataDir));
  const { keyId, step } = await withLog(config, (offline) =>
    rotateKeys(offline, file, randomBytes),
  );
  const [done, then] =
    step === "added"
      ? [`Added the key ${keyId}, which can open`, ", and only then run this once more"]
      : [`Put the key ${keyId} in front, which seals`, ""];
  say(
    `${done} from the next start. Which processes run is not known here: start each of the ` +
      `service again${then}. Until then, each that has other keys says so in /readyz.`,
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
