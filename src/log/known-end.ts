import { createPublicKey } from "node:crypto";
import { open } from "node:fs/promises";
import { createCheck, type KnownEnd, type LogIdentity } from "../store/chain/chain.ts";
import { isSealed, isSigned, parseHead } from "../store/chain/head.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import { firstLink } from "../store/chain/link.ts";
import { publicKeyOf } from "../store/chain/subkeys.ts";
import { readWhole } from "../store/sqlite/chain-file.ts";
import { readExport } from "./transfer.ts";

/** Whose end it is to be, and how a copy of the log is opened. */
interface Proof {
  readonly identity: LogIdentity;
  readonly keys: LogKeys;
}

/**
 * Where the log once ended, by what an operator has of it: a copy of its file or an export, whose
 * events are all looked at, or a checkpoint or head, which has to be signed or sealed with its key.
 * Rejects where the file is none of these, or not whole.
 */
export async function readKnownEnd(path: string, { identity, keys }: Proof): Promise<KnownEnd> {
  const begin = await beginOf(path);
  if (begin.startsWith("SQLite format 3\0")) return await readWhole({ path, keys });
  const head = parseHead(begin);
  if (head === undefined) return await readExported(path, identity);
  const { key } = identity;
  if (isSealed(head, key) || isSigned(head, createPublicKey(publicKeyOf(key)))) {
    return { id: head.log, key, position: head.position, link: head.link };
  }
  throw new Error("it was not signed or sealed with the key of the log");
}

/** A head is shorter than that. */
const beginBytes = 4_096;

async function beginOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginBytes), 0, beginBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function readExported(path: string, { key }: LogIdentity): Promise<KnownEnd> {
  const { log: id, events } = await readExport(path);
  const check = createCheck({ id, key });
  let end = { position: 0n, link: firstLink };
  for await (const event of events) {
    const { position, link } = event;
    // That each follows the one before was looked at as it was read.
    if (check(event, undefined).length > 0) {
      throw new Error(`the event at position ${position} is not what was appended (its MAC)`);
    }
    end = { position, link: Buffer.from(link) };
  }
  return { id, key, ...end };
}
