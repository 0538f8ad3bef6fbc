import { attachmentDigest } from "../attachment.ts";
import { forgedAttachment } from "../chain/forged.ts";
import type { Connection, Pool } from "./pool.ts";

/** Keeps the bytes that events name, of those that are not there. */
export async function addAttachments(
  connection: Connection,
  attachments: readonly Uint8Array[],
): Promise<void> {
  if (attachments.length === 0) return;
  await connection.query(
    `INSERT INTO iam.attachments (digest, bytes) SELECT * FROM unnest($1::bytea[], $2::bytea[])
       ON CONFLICT (digest) DO NOTHING`,
    [attachments.map((bytes) => Buffer.from(attachmentDigest(bytes), "hex")), attachments],
  );
}

/** See `Store.attachment`. */
export async function findAttachment(
  { query }: Pick<Pool, "query">,
  digest: string,
): Promise<Uint8Array | undefined> {
  const [row] = await query<{ readonly bytes: Uint8Array }>(
    "SELECT bytes FROM iam.attachments WHERE digest = $1",
    [Buffer.from(digest, "hex")],
  );
  if (row !== undefined && attachmentDigest(row.bytes) !== digest) throw forgedAttachment(digest);
  return row?.bytes;
}
