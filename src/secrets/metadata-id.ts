import { hash } from "node:crypto";

/** The id of a key of a user: whatever the key is, it has the characters and length of an id. */
export function metadataId(userId: string, key: string): string {
  return `${userId}-${hash("sha256", key, "base64url")}`;
}
