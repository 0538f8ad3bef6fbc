import { grant, grantsOf } from "../domain/grant.ts";
import { metadata, metadataOf } from "../domain/user/metadata.ts";

/** The groups of what has streams of its own and goes with a user: see `removalOf`. */
export function partsOfUser(userId: string) {
  return {
    metadata: { noun: metadata, ...metadataOf(userId) },
    grants: { noun: grant, ...grantsOf(userId) },
  };
}
