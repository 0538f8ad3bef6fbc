import type { Claim, Envelope } from "../../../event.ts";
import { rejectionFor } from "../../decision.ts";
import { foldName, looksIn, type NameClaim, nameClaims, rejectName } from "../../name.ts";
import { mustExist, type Noun } from "../../noun.ts";
import { type Status, withStatus } from "../../status.ts";
import { addressClaims } from "./address.ts";
import {
  type AskedErasure,
  type ErasureEvent,
  erasingOf,
  evolveErasure,
  puttingOff,
} from "./asked-erasure.ts";
import { claimsBeyond, withoutRoles } from "./beyond.ts";
import type { Entry } from "./credential.ts";
import { credentialClaims, withEndedLinks, withoutMadeRequest } from "./credential-state.ts";
import { countInDay } from "./day.ts";
import { type MachineInput, type UserEvent, userEvents } from "./event.ts";
import { factorSecrets, newHeld } from "./factor.ts";
import {
  type HeldMembership,
  instanceRow,
  memberClaims,
  newRoles,
  type RolesGiven,
  withRoles,
} from "./held-roles.ts";
import { newPerson } from "./human-state.ts";
import { claimsInGroups, evolveJoined, type Joined } from "./joined.ts";
import {
  evolveLogin,
  type HumanState,
  isLocked,
  raiseLogin,
  withoutLogins,
} from "./login-state.ts";
import { evolveMachineEntry } from "./machine-entry.ts";
import { madeBy } from "./made.ts";
import { sortableTime } from "./sortable-time.ts";
import { withoutCredentials } from "./voided.ts";

/** A user as its events leave it. */
export interface UserState extends Status, Entry, NameClaim, Joined {
  /** Set for a user who is out of use until somebody unlocks it. */
  readonly isLocked?: true;
  readonly userName: string;
  /** The organization it belongs to. */
  readonly organization: string;
  readonly memberships: readonly HeldMembership[];
  readonly human?: HumanState;
  /** Left out where the person has not asked to be erased. */
  readonly erasure?: AskedErasure;
  /** Either this or `human` is there, and says what kind of user it is. */
  readonly machine?: Omit<MachineInput, "userName">;
}

/** The most tokens, memberships, passkeys, valid links to one and accounts elsewhere of a user. */
export const userLimits = {
  ...{ tokens: 100, memberships: 500, passkeys: 50, passkeyLinks: 10, externalIDPs: 100 },
} as const;

/** The fields of payloads that messages are about. */
const [codeField, noticeField] = ["code", "about"];

/** The noun of users. */
export const user: Noun<UserState, UserEvent> = {
  kind: "user",
  events: userEvents,
  secrets: ["clientSecretHash", "code", "tokenHash", ...factorSecrets],
  messages(event, { human }) {
    switch (event.type) {
      case "user.human.initialization.code.added":
        if (event.payload.send === false) return [];
        return [{ field: codeField, channel: "email", to: mustExist(human).email }];
      case "user.human.email.code.added":
      case "user.human.passwordless.link.added":
        return [{ field: codeField, channel: "email", to: mustExist(human).email }];
      case "user.human.email.requested":
        return [{ field: codeField, channel: "email", to: event.payload.email }];
      case "user.human.password.code.added":
        return [{ field: codeField, channel: "email", to: mustExist(human).email, isReset: true }];
      case "user.human.phone.code.added": {
        const { number } = mustExist(human?.phone);
        return event.payload.send ? [{ field: codeField, channel: "sms", to: number }] : [];
      }
      case "user.human.notice.added": {
        const { to = mustExist(human).email } = event.payload;
        return [{ field: noticeField, channel: "email", to }];
      }
      default:
        return [];
    }
  },
  settles({ type, payload }) {
    if (!("position" in payload)) return undefined;
    const field = type.startsWith("user.human.notice.") ? noticeField : codeField;
    return { position: BigInt(payload.position), field };
  },
  evolve(state, event) {
    switch (event.type) {
      case "user.machine.added": {
        const {
          userName: _name,
          nameClaim: _looks,
          shownClaim: _shown,
          ...machine
        } = event.payload;
        return { ...newState(event.payload, event.owner), machine };
      }
      case "user.human.added": {
        const human = { ...newPerson(event), ...newHeld(event) };
        return { ...newState(event.payload, event.owner), human };
      }
      case "user.machine.changed":
        return { ...mustExist(state), machine: event.payload };
      case "user.name.changed": {
        const { nameClaim: _looks, shownClaim: _shown, ...rest } = mustExist(state);
        const { userName } = event.payload;
        const human = rest.human && { human: { ...rest.human, updatedMs: event.timeMs } };
        return { ...rest, ...human, userName, ...looksIn(event.payload) };
      }
      case "user.machine.secret.set":
      case "user.machine.secret.removed":
      case "user.machine.key.added":
      case "user.machine.key.removed":
        return evolveMachineEntry(mustExist(state), event);
      case "user.token.added":
      case "user.token.recovered": {
        const { tokenId, ...token } = event.payload;
        const before = mustExist(state);
        const made = { ...token, ...madeBy(event), addedMs: event.timeMs };
        return { ...before, tokens: { ...before.tokens, [tokenId]: made } };
      }
      case "user.token.removed": {
        const { [event.payload.tokenId]: _removed, ...tokens } = mustExist(state).tokens;
        return { ...mustExist(state), tokens };
      }
      case "user.membership.granted":
      case "user.membership.changed":
        return withGiven(mustExist(state), event);
      case "user.membership.removed":
      case "user.memberships.removed": {
        const before = mustExist(state);
        return { ...before, memberships: withoutRoles(before.memberships, event) };
      }
      case "user.group.joined":
      case "user.group.left":
        return evolveJoined(mustExist(state), event);
      case "user.credentials.voided":
        return withoutCredentials(mustExist(state), event.payload.voided, event.timeMs);
      case "user.deactivated":
        return outOfUse(withoutLock(mustExist(state)));
      case "user.locked":
        return { ...outOfUse(mustExist(state)), isLocked: true };
      case "user.reactivated":
      case "user.unlocked":
        return withStatus(withoutLock(mustExist(state)), false);
      case "user.removed":
      case "user.erased":
        return undefined;
      default:
        return evolvePerson(state, event);
    }
  },
  claimRefusals: {
    "user.name": rejectName("user of this instance"),
    "user.externalidp": rejectionFor("IDP_LINK_TAKEN"),
    "user.passkey": rejectionFor("PASSKEY_TAKEN"),
  },
  claims: (state) => [
    ...nameClaims("user.name", state.userName, state),
    // Who is counted among the owners of the instance is found by this.
    ...(isActiveOwner(state) ? [{ ...activeOwners, value: foldName(state.userName) }] : []),
    ...claimsBeyond(state, foldName(state.userName)),
    ...claimsInGroups(state, foldName(state.userName)),
    ...memberClaims(state.memberships, foldName(state.userName)),
    ...Object.values(state.tokens).map(({ tokenHash }) => tokenClaim(tokenHash)),
    ...(state.human === undefined ? [] : credentialClaims(state.human)),
    ...addressClaims(state),
  ],
  row: (state) => {
    const { userName, organization, memberships, human } = state;
    const { firstName = "", lastName = "", nickName = "", email = "" } = human ?? {};
    const displayName = shownUserName(state);
    const type = human === undefined ? "MACHINE" : "HUMAN";
    const names = { userName, firstName, lastName, nickName, displayName };
    const untilMs = human?.login?.lockedUntilMs;
    const lock = untilMs === undefined ? {} : { lockedUntil: sortableTime(untilMs) };
    const rest = { ...lock, ...erasingOf(state), ...instanceRow(memberships, organization) };
    const fields = { ...names, email, type, state: statusOf(state), ...rest };
    return { parent: organization, fields };
  },
};

/** The user with other roles, and without what ends for who gains by them. */
function withGiven(before: UserState, event: RolesGiven & Envelope): UserState {
  const { human } = before;
  const after = { ...puttingOff(before), memberships: withRoles(before.memberships, event) };
  const isRaised = newRoles(before.memberships, event.payload).length > 0;
  // Who owns the instance gains nothing.
  if (human?.login === undefined || ownsInstance(before) || !isRaised) return after;
  const login = raiseLogin(human.login, event.payload.sessions);
  return { ...after, human: { ...withoutMadeRequest(human), login } };
}

/** The name of a user that others see. */
export function shownUserName({ human, machine }: UserState): string {
  return human?.displayName ?? machine?.name ?? "";
}

/** When the lock ends (Unix milliseconds) that keeps a user in use out now; undefined for none. */
export function lockedUntil({ isInactive, human }: UserState, nowMs: number): number | undefined {
  return !isInactive && isLocked(human?.login, nowMs) ? human?.login?.lockedUntilMs : undefined;
}

/**
 * The status of a user as people see it, a lock aside that ends by itself: initial until the person
 * has taken the account over.
 */
export function statusOf({
  isInactive,
  isLocked,
  human,
}: UserState): "ACTIVE" | "INACTIVE" | "LOCKED" | "INITIAL" {
  if (isInactive) return isLocked ? "LOCKED" : "INACTIVE";
  return human?.initialization === undefined ? "ACTIVE" : "INITIAL";
}

/** The claims of which each active owner of the instance holds one. */
export const activeOwners = { kind: "instance.owner", scope: "" } as const;

/** Those of them who count: one of an inactive organization does not. */
export const ownersInUse = {
  ...activeOwners,
  counts: ({ isInactive }: UserState) => !isInactive,
} as const;

/** Whether the user can act for the instance as long as nobody changes that: by a lasting token. */
export function isActiveOwner(state: UserState): boolean {
  const { isInactive, tokens } = state;
  const lasting = Object.values(tokens).some(({ expirationMs }) => expirationMs === undefined);
  return ownsInstance(state) && lasting && !isInactive;
}

/** The same user, out of use: what came from logins does not come back, nor do links. */
function outOfUse(state: UserState): UserState {
  const human = state.human && { human: withEndedLinks(withoutLogins(state.human)) };
  return withStatus({ ...puttingOff(state), ...human }, true);
}

function withoutLock(state: UserState): UserState {
  const { isLocked: _ended, ...rest } = state;
  return rest;
}

function ownsInstance({ memberships }: UserState): boolean {
  return memberships.some(
    ({ scope, roles }) => scope.level === "instance" && roles.includes("IAM_OWNER"),
  );
}

/** The claim by which the holder of a token is found. */
export function tokenClaim(tokenHash: string): Claim {
  return { kind: "user.token", scope: "", value: tokenHash };
}

type PersonalEvent = Parameters<typeof evolveLogin>[1] | (ErasureEvent & Envelope);

/** The person after an event that machines have not; logins of the removed are forgotten, too. */
function evolvePerson(state: UserState | undefined, event: PersonalEvent): UserState | undefined {
  if (state === undefined && event.type === "user.human.logins.forgotten") return undefined;
  const before = mustExist(state);
  switch (event.type) {
    case "user.erasure.requested":
    case "user.erasure.announced":
    case "user.erasure.withdrawn": {
      const { erasure, ...rest } = before;
      const { human } = rest;
      const counted = human?.login && { ...human.login, ...countInDay(human.login.day, event) };
      return {
        ...rest,
        ...(human && counted ? { human: { ...human, login: counted } } : {}),
        ...evolveErasure(erasure, event),
      };
    }
    default:
      return { ...before, human: evolveLogin(mustExist(before.human), event) };
  }
}

function newState(
  { userName, ...given }: { readonly userName: string } & NameClaim,
  organization: string,
): UserState {
  return { userName, ...looksIn(given), organization, tokens: {}, memberships: [] };
}
