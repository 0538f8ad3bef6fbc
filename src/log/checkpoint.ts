import { createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import { readGiven } from "../file.ts";
import type { LogIdentity } from "../store/chain/chain.ts";
import { faultOf, isSealed, isSigned, parseHead, signHead } from "../store/chain/head.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import { publicKeyOf } from "../store/chain/subkeys.ts";
import type { NamedHead } from "../store/verify/chain.ts";
import type { Where } from "./find.ts";
import { findLog } from "./find.ts";
import { headPlacesOf, readPlace } from "./head-places.ts";
import { logKeysFor } from "./log-keys.ts";
import { orRefused } from "./maintain.ts";
import type { LogPlace } from "./place.ts";

/** The end of the log now, as a line that anybody can check who has the public key. */
export async function checkpointOf(config: Config): Promise<string> {
  const { id, key, ...end } = await endOf(config);
  return signHead({ log: id, ...end, timeMs: Date.now() }, key);
}

/** The public key that checks checkpoints of the log (PEM). */
export async function checkpointKeyOf(config: Config): Promise<string> {
  const { key } = await endOf(config);
  return publicKeyOf(key).trimEnd();
}

async function endOf(config: Config) {
  const place = await findLog(config);
  const keys = logKeysFor(config);
  const heads = await headsFor(config, place, keys);
  return await orRefused(`${place.name} has no checkpoint`, readFrom(place, keys, heads));
}

/** The end of a log that goes on from the heads. */
async function readFrom(place: LogPlace, keys: LogKeys, heads: readonly NamedHead[]) {
  const end = await place.readEnd(keys);
  const log = await place.readEvents();
  try {
    for (const { name, head } of heads) {
      const link = (await log.at(head.position))?.link;
      const fault = faultOf(head, { id: end.id, end: end.position, link });
      if (fault !== undefined) throw new Error(`${fault} (${name})`);
    }
    return end;
  } finally {
    await log.close();
  }
}

/**
 * The heads that a log has to go on from before anybody vouches for it. Throws a ConfigError where
 * there is none, or one that nobody who has the keys has made.
 */
export async function headsFor(
  config: Where & Pick<Config, "anchorUrl">,
  place: Pick<LogPlace, "name" | "readOwn">,
  keys: LogKeys,
): Promise<readonly NamedHead[]> {
  const why: string[] = [];
  const found = headsOf(config, place, keys, (damage) => why.push(damage));
  const { heads, unread } = await orRefused(`${place.name} has no checkpoint`, found);
  if (heads.length > 0 && why.length === 0) return heads;
  // A database may be a standby, on which no service starts.
  const advice =
    config.databaseUrl === ""
      ? "start the service on it first."
      : "set IAM_DATA_DIR to that of a node that has served it, or set the IAM_ANCHOR_URL of " +
        "the nodes.";
  throw new ConfigError(
    `There is no head to compare the event log ${place.name} with, so nothing proves that ` +
      `it is complete: ${advice} ${[...why, ...unread].join(" ")}`,
  );
}

/**
 * The heads that lie outside of the log, to compare it with: the file beside it, and the anchor.
 * With the key, only those that it has sealed; each other is reported. Answers as `unread`, as
 * sentences, which places could not be read.
 */
export async function headsOf(
  { dataDir, anchorUrl }: Pick<Config, "dataDir" | "anchorUrl">,
  { readOwn }: Pick<LogPlace, "readOwn">,
  keys: LogKeys | undefined,
  report: (damage: string) => void,
) {
  const own = keys && (await identityOf({ readOwn }, keys));
  const [heads, unread]: [NamedHead[], string[]] = [[], []];
  for (const place of headPlacesOf(anchorUrl, resolve(dataDir), randomBytes)) {
    const { name } = place;
    const read = await readPlace(place);
    if ("why" in read) {
      unread.push(`The log was not compared with the head in ${name}: ${read.why}.`);
      continue;
    }
    const { text } = read;
    const head = parseHead(text);
    if (head === undefined) report(`head: ${name} has no valid head`);
    else if (own !== undefined && head.log === own.id && !isSealed(head, own.key)) {
      report(`head: the one in ${name} was not sealed with the key of the log`);
    } else heads.push({ name, head });
  }
  return { heads, unread };
}

/** Which log it is, and its key; undefined where it says neither. */
export async function identityOf(
  { readOwn }: Pick<LogPlace, "readOwn">,
  keys: LogKeys,
): Promise<LogIdentity | undefined> {
  const { id, events } = await readOwn();
  return events.length === 0 ? undefined : { id, key: await keys.open(id, events) };
}

/** The same, and which heads were not compared, so many that were. */
export function withUnread<Verified extends { readonly unchecked: string | undefined }>(
  verified: Verified,
  unread: readonly string[],
  compared: number,
): Verified {
  const said = [verified.unchecked ?? [], compared > 0 ? unread : noHeads].flat();
  return { ...verified, unchecked: said.join("\n") || undefined };
}

const noHeads =
  "There was no head to compare with, so a truncated end or an older copy would not be detected.";

/** A head that somebody else has kept, and by which key it was signed. */
export interface Checkpoint extends NamedHead {
  readonly signer: string;
}

/** What the log is up to a checkpoint that it goes on from, as a sentence. */
export function provedBy({ name, head, signer }: Checkpoint): string {
  const when = new Date(head.timeMs).toISOString();
  const said = `the log is what ${name} says of ${when}, signed with ${signer}`;
  return `Up to position ${head.position} ${said}.`;
}

const ownSigner = "the key that the log names itself, which proves nothing more: give --public-key";

/**
 * The checkpoint in a file, once its signature is checked with a public key: that in the other
 * file, or else the one that the log says is its own, which proves no more than the log does.
 * Rejects with a ConfigError.
 */
export async function readCheckpoint(
  path: string,
  publicKeyPath: string | undefined,
  log: Pick<LogPlace, "readOwn">,
): Promise<Checkpoint> {
  const read = async (file: string) => {
    const text = await readGiven(file);
    if (text === undefined) throw new ConfigError(`${file} cannot be read: there is no such file`);
    return text;
  };
  const head = parseHead(await read(path));
  if (head === undefined) {
    throw new ConfigError(`${path} is not a checkpoint: it must be one printed line`);
  }
  const pem = publicKeyPath === undefined ? await ownPublicKey(log) : await read(publicKeyPath);
  const signer = publicKeyPath === undefined ? ownSigner : `the key in ${publicKeyPath}`;
  if (!isSigned(head, keyFrom(pem, publicKeyPath))) {
    throw new ConfigError(`${path} was not signed with ${signer}`);
  }
  return { name: path, head, signer };
}

/** The public key that a log says is its own; empty where it says none. */
async function ownPublicKey({ readOwn }: Pick<LogPlace, "readOwn">): Promise<string> {
  const [begun] = (await readOwn()).events;
  const { publicKey = "" } = JSON.parse(begun?.payload ?? "{}") as { publicKey?: string };
  return publicKey;
}

function keyFrom(pem: string, path = "the log"): KeyObject {
  const refusal = `${path} is not an Ed25519 public key in PEM form`;
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new ConfigError(refusal, { cause });
  }
  if (key.asymmetricKeyType !== "ed25519") throw new ConfigError(refusal);
  return key;
}
