import { accept, type Decision, reject } from "./decision.ts";
import { isCurrent } from "./ending.ts";
import { importHuman, type NewHuman } from "./user/human/human.ts";
import type { Shown } from "./user/human/phone.ts";
import type { UserDecision } from "./user/state/acting.ts";
import type { UserEvent } from "./user/state/event.ts";

/** The right of the holder of a link to become an owner of the instance; a hash of its code. */
export interface OwnerLink {
  readonly codeHash: string;
  /** When it ends (Unix milliseconds). */
  readonly expirationMs: number;
}

/** The events of the link by which a person becomes an owner. */
export type OwnerLinkEvent =
  | { readonly type: "instance.owner.link.added"; readonly payload: OwnerLink }
  | { readonly type: "instance.owner.link.used"; readonly payload: { readonly userId: string } };

/** The happening behind each of them: see `Noun.events`. */
export const ownerLinkEvents: { readonly [type in OwnerLinkEvent["type"]]: string } = {
  "instance.owner.link.added":
    "A link that makes a person an owner was left beside the log; its hash is stored",
  "instance.owner.link.used":
    "A person became an owner through the link; the link is no longer valid",
};

/** Milliseconds for which a link is valid: a day. */
export const ownerLinkMs = 24 * 60 * 60 * 1_000;

/** What has the link: the instance. */
interface Holder {
  readonly organization: string;
  readonly ownerLink?: OwnerLink;
}

/** The link after an event; one that was used has ended. */
export function evolveOwnerLink(link: OwnerLink | undefined, event: OwnerLinkEvent): OwnerLink {
  if (event.type === "instance.owner.link.added") return event.payload;
  return { codeHash: link?.codeHash ?? "", expirationMs: 0 };
}

type LinkDecision = Decision<{ instance?: readonly OwnerLinkEvent[] }>;

/** Makes a link; the one before becomes invalid. */
export function addOwnerLink(
  state: Holder | undefined,
  codeHash: string,
  nowMs: number,
): LinkDecision {
  if (state === undefined) return accept({});
  const payload = { codeHash, expirationMs: nowMs + ownerLinkMs };
  return accept({ instance: [{ type: "instance.owner.link.added", payload }] });
}

/** Makes the link of a first start, where the instance has not had one. */
export function addFirstOwnerLink(
  state: Holder | undefined,
  codeHash: string,
  nowMs: number,
): LinkDecision {
  return state?.ownerLink === undefined ? addOwnerLink(state, codeHash, nowMs) : accept({});
}

/** Whether the code that was shown is that of the link, and the link is still valid. */
export function opensOwnerLink(
  state: Holder | undefined,
  shown: Shown,
  nowMs: number,
): state is Holder {
  const link = state?.ownerLink;
  return link !== undefined && shown.opens(link.codeHash) && isCurrent(link, nowMs);
}

/**
 * Creates a person who owns the instance, on the word of the operator who left the link, and uses
 * it up.
 */
export function becomeOwner(
  state: Holder | undefined,
  { userId, human, ...shown }: Shown & { readonly userId: string; readonly human: NewHuman },
  nowMs: number,
): UserDecision & LinkDecision {
  if (!opensOwnerLink(state, shown, nowMs)) return reject("CODE_INVALID");
  const { events, rejection } = importHuman({}, human, nowMs);
  if (rejection !== undefined) return { events: {}, rejection };
  const owns: UserEvent = {
    type: "user.membership.granted",
    payload: { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
  };
  return accept({
    instance: [{ type: "instance.owner.link.used", payload: { userId } }],
    user: [...(events.user ?? []), owns],
  });
}
