import type { NewEvent } from "../../event.ts";
import { accept, reject } from "../decision.ts";
import { holdsRole, type Role, type Scope } from "../permission.ts";
import type { Acting, UserDecision } from "./acting.ts";
import {
  type Credential,
  credentialsOf,
  nameCredential,
  withoutCredentials,
} from "./credential.ts";
import { isApplication, type Made, viaOf } from "./made.ts";
import type { UserEvent, UserState } from "./user.ts";

/** The users who made what a user can get in with, each by the name that `makerName` gives. */
export interface Makers {
  readonly [name: `maker ${string}`]: UserState | undefined;
}

/** A user who is about to be raised, the caller, and the makers. */
export type Raising = Acting & Makers;

/** What a user is given, and what is needed where that voids credentials. */
export interface Raise {
  readonly userId: string;
  readonly scope: Scope;
  readonly roles: readonly Role[];
  /** A fresh code, sealed, for the mail behind which a person gets in again. */
  readonly initializationCode: string;
}

/**
 * The users, but the user itself, who made what lets somebody in as the user now, and those through
 * whose tokens they did. The user is among them where an application made something for it.
 */
export function makersOf(
  user: UserState | undefined,
  userId: string,
  nowMs: number,
): readonly string[] {
  if (user === undefined) return [];
  return [...new Set(credentialsOf(user, nowMs).flatMap((made) => othersOf(made, userId)))];
}

/** The name under which decisions are given a maker. */
export function makerName(id: string): `maker ${string}` {
  return `maker ${id}`;
}

/**
 * Voids what would let its maker have what the user is given and the maker does not hold: who is
 * out of use or removed holds nothing. What the user made itself stays. A person whose address is
 * known gets in again behind a mail; who could not get in at all any more is not raised.
 */
export function voidCredentials(states: Raising, raise: Raise, nowMs: number): UserDecision {
  const { user } = states;
  if (user === undefined) return accept({});
  const voided = findOutranked(states, user, raise, nowMs);
  if (voided.length === 0) return accept({});

  const left = withoutCredentials(user, voided);
  const events: readonly UserEvent[] = [{ type: "user.credentials.voided", payload: { voided } }];
  if (left.human === undefined) return accept({ user: events });

  const ways = credentialsOf(left, nowMs);
  if (left.human.isEmailVerified || ways.some(({ kind }) => kind === "initialization-code")) {
    const payload = { code: raise.initializationCode };
    return accept({
      user: [...events, { type: "user.human.initialization.code.added", payload }],
    });
  }
  return ways.length > 0 ? accept({ user: events }) : reject("MEMBER_LOCKED_OUT");
}

function findOutranked(
  states: Makers,
  user: UserState,
  { userId, scope, roles }: Raise,
  nowMs: number,
): readonly Credential[] {
  // Who owns the instance gains nothing, so no grant takes the token of its last owner.
  const gained = roles.filter((role) => !holdsRole(user.memberships, role, scope));
  const holdsGained = (id: string) => {
    const { [makerName(id)]: maker } = states;
    const held = maker?.isInactive ? [] : (maker?.memberships ?? []);
    return gained.every((role) => holdsRole(held, role, scope));
  };
  return credentialsOf(user, nowMs)
    .filter((made) => !othersOf(made, userId).every(holdsGained))
    .map(({ maker: _maker, via: _via, ...credential }) => credential);
}

/** Who has a hand in something, but the user itself, unless an application acted for it. */
function othersOf(made: Made, userId: string): readonly string[] {
  const { via = [] } = viaOf(userId, made);
  const users = via.filter((hand) => !isApplication(hand));
  // What an application made for somebody is worth what that one holds, be it the user before.
  return users.length === via.length ? users : [...new Set([...users, made.maker])];
}

/** The names of the credentials that these events voided, for answers: see `nameCredential`. */
export function voidedBy(events: readonly NewEvent[]): readonly string[] {
  return (events as readonly UserEvent[])
    .flatMap((event) => (event.type === "user.credentials.voided" ? event.payload.voided : []))
    .map(nameCredential);
}
