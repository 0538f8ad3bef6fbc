import type { NewEvent } from "../../event.ts";
import { accept, type Refusal, reject } from "../decision.ts";
import { holdsRole, type Role, type Scope } from "../permission.ts";
import { type Acting, isReachable, outranks, type UserDecision } from "./state/acting.ts";
import { credentialsOf } from "./state/credential.ts";
import { type Credential, nameCredential } from "./state/credential-name.ts";
import type { UserEvent } from "./state/event.ts";
import { codeLifetimesMs, type InitializationCode } from "./state/human-state.ts";
import { isApplication, type Made, type Via, viaOf } from "./state/made.ts";
import { sessionsOf } from "./state/session.ts";
import type { UserState } from "./state/user.ts";
import { withoutCredentials } from "./state/voided.ts";

/** The users who made what a user can get in with, each by the name that `makerName` gives. */
export interface Makers {
  readonly [name: `maker ${string}`]: UserState | undefined;
}

/** A user who is about to be raised, the caller, and the makers. */
export type Raising = Acting & Makers;

/** What a user is given, and what is needed where that voids credentials. */
export interface Raise extends Via {
  readonly userId: string;
  readonly scope: Scope;
  readonly roles: readonly Role[];
  /** A fresh code, sealed, behind which a person gets in again. */
  readonly initializationCode: string;
  /** Whether that is answered to the caller, who hands it over, instead of mailed. */
  readonly isCodeAnswered?: boolean;
}

/**
 * The users, but the user itself, who made what lets somebody in as the user now, or have a hand in
 * it. The user is among them where an application made something for it.
 */
export function makersOf(
  user: UserState | undefined,
  userId: string,
  nowMs: number,
): readonly string[] {
  if (user === undefined) return [];
  const all = [...credentialsOf(user, nowMs), ...madeSessionsOf(user, userId, nowMs)];
  return [...new Set(all.flatMap((made) => othersOf(made, userId)))];
}

/** The name under which decisions are given a maker. */
export function makerName(id: string): `maker ${string}` {
  return `maker ${id}`;
}

/**
 * Voids what would let its maker have what the user is given and the maker does not hold: who is
 * out of use or removed holds nothing. What the user made itself stays. A person gets in again
 * behind a mail to an address that stays, or by a link that the caller is answered; who could not
 * get in at all any more is not raised.
 */
export function voidCredentials(states: Raising, raise: Raise, nowMs: number): UserDecision {
  const { user } = states;
  if (user === undefined) return accept({});
  const voided = findOutranked(states, user, raise, nowMs);
  if (voided.length === 0) return accept({});

  const left = withoutCredentials(user, voided, nowMs);
  const events: readonly UserEvent[] = [{ type: "user.credentials.voided", payload: { voided } }];
  if (left.human === undefined) return accept({ user: events });

  const again = (payload: InitializationCode) =>
    accept<{ user: readonly UserEvent[] }>({
      user: [...events, { type: "user.human.initialization.code.added", payload }],
    });
  const { initializationCode: code, isCodeAnswered, via } = raise;
  if (isCodeAnswered) {
    const expirationMs = nowMs + codeLifetimesMs.initialization;
    const payload = { code, expirationMs, send: false, ...(via ? { via } : {}) } as const;
    return refuseAnswer(states, user) ?? again(payload);
  }
  const { isEmailVerified, emailMade } = left.human;
  const ways = credentialsOf(left, nowMs).filter(({ kind }) => kind !== "email");
  const isAwaited = ways.some(({ kind }) => kind === "initialization-code");
  if (emailMade !== undefined && (isEmailVerified || isAwaited)) return again({ code });
  return ways.length > 0 ? accept({ user: events }) : reject("MEMBER_LOCKED_OUT");
}

/** The refusal to answer a code by which the caller could act as the user. */
function refuseAnswer({ caller }: Acting, user: UserState): Refusal | undefined {
  return isReachable(user, caller, "user.credential.write") && outranks(caller, user)
    ? undefined
    : reject("ESCALATION_DENIED");
}

/** The sessions of a user who is raised in which only such others have a hand as hold it all. */
export function stayingSessions(
  states: Makers & { readonly user: UserState },
  raise: Raise,
  nowMs: number,
): readonly string[] {
  const { user } = states;
  const left = withoutCredentials(user, findOutranked(states, user, raise, nowMs), nowMs);
  const isOutranked = outrankedBy(states, user, raise);
  return madeSessionsOf(left, raise.userId, nowMs)
    .filter((session) => !isOutranked(session))
    .map(({ sessionId }) => sessionId);
}

/** The sessions in which others have a hand. */
function madeSessionsOf(user: UserState, maker: string, nowMs: number) {
  const sessions = sessionsOf(user, nowMs).filter(({ via }) => via !== undefined);
  return sessions.map((session) => ({ ...session, maker }));
}

function findOutranked(
  states: Makers,
  user: UserState,
  raise: Raise,
  nowMs: number,
): readonly Credential[] {
  return credentialsOf(user, nowMs)
    .filter(outrankedBy(states, user, raise))
    .map(({ maker: _maker, via: _via, ...credential }) => credential);
}

/** Tells what was made by those who do not hold what the user gains. */
function outrankedBy(
  states: Makers,
  user: UserState,
  { userId, scope, roles }: Raise,
): (made: Made) => boolean {
  // Who owns the instance gains nothing, so no grant takes the token of its last owner.
  const gained = roles.filter((role) => !holdsRole(user.memberships, role, scope));
  const holdsGained = (id: string) => {
    const { [makerName(id)]: maker } = states;
    const held = maker?.isInactive ? [] : (maker?.memberships ?? []);
    return gained.every((role) => holdsRole(held, role, scope));
  };
  return (made) => !othersOf(made, userId).every(holdsGained);
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

/** Whether a code is among what these events did that is answered to who raised the user. */
export function isCodeAnsweredBy(events: readonly NewEvent[]): boolean {
  return (events as readonly UserEvent[]).some(
    ({ type, payload }) =>
      type === "user.human.initialization.code.added" && "send" in payload && !payload.send,
  );
}
