import { grant, grantsOf } from "../domain/grant.ts";
import { logout } from "../domain/logout.ts";
import { metadata, metadataOf } from "../domain/user/metadata.ts";
import { user } from "../domain/user/state/user.ts";

/** A user who goes, and how. */
interface Going {
  readonly userId: string;
  /** The organization of the user. */
  readonly owner: string;
  readonly newId: () => string;
  /** As in `StreamRef`. */
  readonly version?: number | undefined;
}

/**
 * The parts of a command by which a user goes: its stream, those of its metadata and grants, those
 * that tell applications of logouts, and what is kept of the user beside the log.
 */
export function userRemoval({ userId, owner, newId, version }: Going) {
  return {
    users: [userId],
    writes: { user: { noun: user, id: userId, version } },
    groups: {
      metadata: { noun: metadata, ...metadataOf(userId) },
      grants: { noun: grant, ...grantsOf(userId) },
    },
    begins: { logouts: { noun: logout, owner, newId } },
  };
}
