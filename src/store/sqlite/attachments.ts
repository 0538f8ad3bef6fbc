import type Database from "better-sqlite3";
import { attachmentDigest } from "../attachment.ts";
import { forgedAttachment } from "../chain/forged.ts";

/** The bytes that events name, on one connection. */
export interface FileAttachments {
  /** Keeps those that are not there, inside a transaction. */
  add(attachments: readonly Uint8Array[]): void;
  /** See `Store.attachment`. */
  find(digest: string): Uint8Array | undefined;
}

/** Prepares the statements once for the life of the connection. */
export function prepareAttachments(db: Database.Database): FileAttachments {
  const insert = db.prepare("INSERT OR IGNORE INTO attachments (digest, bytes) VALUES (?, ?)");
  const select = db
    .prepare<[Uint8Array], Uint8Array>("SELECT bytes FROM attachments WHERE digest = ?")
    .pluck();
  return {
    add: (attachments) => {
      for (const bytes of attachments) {
        insert.run(Buffer.from(attachmentDigest(bytes), "hex"), bytes);
      }
    },
    find: (digest) => {
      const bytes = select.get(Buffer.from(digest, "hex"));
      if (bytes !== undefined && attachmentDigest(bytes) !== digest) throw forgedAttachment(digest);
      return bytes;
    },
  };
}
