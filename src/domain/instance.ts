import { accept, type Decision } from "./decision.ts";
import { mustExist, type Noun, unknownEvent, unlisted } from "./noun.ts";
import { type OrgEvent, setUpOrg } from "./org.ts";
import {
  evolveOwnerLink,
  type OwnerLink,
  type OwnerLinkEvent,
  ownerLinkEvents,
} from "./owner-link.ts";
import { type ProjectEvent, setUpProject } from "./project.ts";
import { evolveSigning, type HeldSigningKey, type SigningEvent, signingEvents } from "./signing.ts";
import { setUpOwner } from "./user/machine.ts";
import type { UserEvent } from "./user/state/event.ts";

/** The one instance that a log is of. Its stream is what makes a first start happen once. */
export type InstanceEvent =
  | { readonly type: "instance.set.up"; readonly payload: SetUp }
  | {
      readonly type: "instance.key.added" | "instance.key.retired";
      readonly payload: { readonly check: string };
    }
  | { readonly type: "instance.clock.accepted"; readonly payload: { readonly aheadMs: number } }
  | OwnerLinkEvent
  | SigningEvent;

interface SetUp {
  readonly organization: string;
  readonly project: string;
  readonly owner: string;
}

/** The instance as its events leave it. */
export interface InstanceState {
  readonly organization: string;
  /** A sealed value for each key that secrets in the log were sealed with. */
  readonly keyChecks: readonly string[];
  /** Milliseconds that the log is ahead of the clock of its machine; left out, it is not. */
  readonly aheadMs?: number;
  /** The keys that tokens are signed with, and those of tokens that may still be there. */
  readonly signingKeys?: readonly HeldSigningKey[];
  /** The newest link by which a person becomes an owner, good or not. */
  readonly ownerLink?: OwnerLink;
}

/** The noun of the instance. */
export const instance: Noun<InstanceState, InstanceEvent> = {
  ...unlisted,
  kind: "instance",
  events: {
    "instance.set.up": "The instance got its first organization, project and owner",
    "instance.key.added": "New secrets are sealed with another master key",
    "instance.key.retired": "The master key was retired: no secret in use is sealed with it",
    "instance.clock.accepted":
      "The clock of the machine went back and was accepted; the times of later events are " +
      "ahead of it",
    ...ownerLinkEvents,
    ...signingEvents,
  },
  secrets: ["check", "codeHash", "privateKey"],
  evolve(state, event) {
    switch (event.type) {
      case "instance.set.up":
        return { organization: event.payload.organization, keyChecks: [] };
      case "instance.key.added": {
        const before = mustExist(state);
        return { ...before, keyChecks: [...before.keyChecks, event.payload.check] };
      }
      case "instance.key.retired": {
        const before = mustExist(state);
        const { check } = event.payload;
        return { ...before, keyChecks: before.keyChecks.filter((known) => known !== check) };
      }
      case "instance.clock.accepted":
        return { ...mustExist(state), aheadMs: event.payload.aheadMs };
      case "instance.owner.link.added":
      case "instance.owner.link.used": {
        const before = mustExist(state);
        return { ...before, ownerLink: evolveOwnerLink(before.ownerLink, event) };
      }
      case "instance.signing.key.added":
      case "instance.signing.key.activated":
      case "instance.signing.key.retired":
      case "instance.signing.key.sealed": {
        const before = mustExist(state);
        return { ...before, signingKeys: evolveSigning(before.signingKeys ?? [], event) };
      }
      default:
        return unknownEvent(event);
    }
  },
};

/** The id of the instance's stream. */
export const instanceId = "1";

interface FirstStart {
  readonly ids: SetUp & { readonly token: string };
  readonly tokenHash: string;
}

/**
 * The first start: an organization, a project to try things in, and a machine user that owns the
 * instance and has a token. Nothing where an instance exists.
 */
export function setUpInstance(
  state: InstanceState | undefined,
  { ids, tokenHash }: FirstStart,
): Decision<{
  instance?: readonly InstanceEvent[];
  org?: readonly OrgEvent[];
  project?: readonly ProjectEvent[];
  user?: readonly UserEvent[];
}> {
  if (state !== undefined) return accept({});
  const { organization, project, owner } = ids;
  return accept({
    instance: [{ type: "instance.set.up", payload: { organization, project, owner } }],
    org: setUpOrg("Default"),
    project: setUpProject("Getting started"),
    user: setUpOwner({ userName: "admin", name: "Administrator", token: ids.token, tokenHash }),
  });
}

/** Records that a key is of no use any more, which the check is of. */
export function retireKey(
  state: InstanceState | undefined,
  check: string,
): Decision<{ instance?: readonly InstanceEvent[] }> {
  if (!state?.keyChecks.includes(check)) return accept({});
  return accept({ instance: [{ type: "instance.key.retired", payload: { check } }] });
}

/** Records that secrets are sealed with a key from now on; a known key is not recorded again. */
export function addKey(
  state: InstanceState | undefined,
  key: { readonly check: string; isOf(check: string): boolean },
): Decision<{ instance?: readonly InstanceEvent[] }> {
  if (state === undefined || state.keyChecks.some((check) => key.isOf(check))) return accept({});
  return accept({ instance: [{ type: "instance.key.added", payload: { check: key.check } }] });
}

/** Records by how many milliseconds the log is ahead; fewer than before are nothing. */
export function acceptClock(
  state: InstanceState | undefined,
  aheadMs: number,
): Decision<{ instance?: readonly InstanceEvent[] }> {
  if (state === undefined || aheadMs <= (state.aheadMs ?? 0)) return accept({});
  return accept({ instance: [{ type: "instance.clock.accepted", payload: { aheadMs } }] });
}
