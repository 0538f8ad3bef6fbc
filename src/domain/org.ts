import { accept, type Decision, type Refusal, reject } from "./decision.ts";
import { claimOf, type NameClaim, nameClaims, rejectName } from "./name.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { refuseSameStatus, type Status, withStatus } from "./status.ts";
import type { UserState } from "./user/state/user.ts";

/** An organization: the owner of everything else. */
export type OrgEvent =
  | { readonly type: "org.added" | "org.changed"; readonly payload: OrgName }
  | {
      readonly type: "org.deactivated" | "org.reactivated" | "org.removed";
      readonly payload: Nothing;
    };

/** The name of an organization. */
interface OrgName extends NameClaim {
  readonly name: string;
}

/** An organization as its events leave it. */
export interface OrgState extends OrgName, Status {}

/** An organization that is or was there; undefined where there never was one. */
export type Standing = OrgState | "removed" | undefined;

/** The noun of organizations. */
export const org: Noun<OrgState, OrgEvent> = {
  kind: "org",
  events: {
    "org.added": "An organization was created",
    "org.changed": "Its name was replaced",
    "org.deactivated": "It was deactivated, and all that belongs to it counts as inactive",
    "org.reactivated": "It was reactivated",
    "org.removed": "It was removed, and nothing that belongs to it counts any more",
  },
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "org.added":
      case "org.changed":
        return event.payload;
      case "org.deactivated":
        return withStatus(mustExist(state), true);
      case "org.reactivated":
        return withStatus(mustExist(state), false);
      case "org.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: { "org.name": rejectName("organization of this instance") },
  claims: (state) => nameClaims("org.name", state.name, state),
  row: ({ name, isInactive }) => {
    return { parent: "", fields: { name, state: isInactive ? "INACTIVE" : "ACTIVE" } };
  },
};

/** Creates an organization. */
export function addOrg(input: { readonly name: string }): OrgDecision {
  return accept({ org: setUpOrg(input.name) });
}

/** A decision on an organization. */
type OrgDecision = Decision<{ org?: readonly OrgEvent[] }>;

/** Renames an organization. */
export function updateOrg(
  state: OrgState | undefined,
  { name }: { readonly name: string },
): OrgDecision {
  if (mustExist(state).name === name) return reject("NOTHING_CHANGED");
  return accept({ org: [{ type: "org.changed", payload: { name, ...claimOf(name) } }] });
}

/** An organization that is taken out of use, and what counts for that. */
export interface OrgTaking {
  readonly org: OrgState | undefined;
  readonly caller: UserState | undefined;
  /** The active owners of the instance in other organizations. */
  readonly otherOwners: number;
  /** The users of the organization who hold roles beyond it. */
  readonly beyond: number;
  /** How many of them the caller may act on. */
  readonly outranked: number;
}

/** The bounds on organizations that are taken out of use. */
export const takingLimits = {
  /** Users who hold roles beyond the organization: each is looked at. */
  beyond: 999,
} as const;

/** Takes an organization out of use, and with it all that belongs to it. */
export function deactivateOrg(states: OrgTaking): OrgDecision {
  return (
    refuseSameStatus(mustExist(states.org), true) ??
    refuseTaking(states) ??
    accept({ org: [{ type: "org.deactivated", payload: {} }] })
  );
}

/** The refusal of callers who may not act on every user there, and where no owner would remain. */
export function refuseTaking({ beyond, outranked, otherOwners }: OrgTaking): Refusal | undefined {
  const { beyond: most } = takingLimits;
  if (beyond > most) {
    const many = `The organization has ${beyond} users with roles elsewhere, and may have ${most}`;
    return reject("LIMIT_REACHED", `${many}: remove some of these roles first.`);
  }
  if (outranked < beyond) return reject("ESCALATION_DENIED");
  return otherOwners === 0 ? reject("LAST_OWNER", noOtherOwner) : undefined;
}

/** Brings an organization back into use, and what belongs to it as far as it has not ended. */
export function reactivateOrg(state: OrgState | undefined): OrgDecision {
  return (
    refuseSameStatus(mustExist(state), false) ??
    accept({ org: [{ type: "org.reactivated", payload: {} }] })
  );
}

/**
 * A state as it counts: what belongs to an inactive organization is inactive, and what belongs to a
 * removed one is not there.
 */
export function underOwner<State>(state: State, owner: Standing): State | undefined {
  if (owner === "removed") return undefined;
  return owner?.isInactive && state !== undefined ? { ...state, isInactive: true } : state;
}

const noOtherOwner =
  "No other organization has an active owner of the instance with a token that does not expire: " +
  "add one first.";

/** The events of an organization that the first start creates. */
export function setUpOrg(name: string): readonly OrgEvent[] {
  return [{ type: "org.added", payload: { name, ...claimOf(name) } }];
}
