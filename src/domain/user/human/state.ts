import type { Claim, Envelope } from "../../../event.ts";
import { linksTo } from "../../idp.ts";
import { mustExist, unknownEvent } from "../../noun.ts";
import { evolveLogin, type LoginEvent, type LoginState } from "../login/state.ts";
import { type Made, madeBy, madeThrough } from "../made.ts";
import type {
  ExternalIDP,
  HumanAdded,
  HumanEvent,
  InitializationCode,
  Passkey,
  PasswordlessCode,
  PhoneCode,
  Profile,
  SealedCode,
} from "./event.ts";

/** The wrong tries of a code, which is good for `codeFailuresMax` of them. */
interface Missed {
  readonly failures: number;
}

/** The human part of a user, as its events leave it. */
export interface HumanState extends Profile {
  readonly email: string;
  readonly isEmailVerified: boolean;
  /**
   * Who chose the address: whoever did may have what is sent there, also where a mail has verified
   * it. Left out where a grant has voided that: then no mail goes there.
   */
  readonly emailMade?: Made;
  readonly phone?: PhoneState;
  /**
   * When the latest phone code was made (Unix milliseconds), pending or not, for whichever number:
   * to remove the phone must not be a way to have codes sent faster.
   */
  readonly phoneCodeMs?: number;
  readonly passwordHash?: string;
  readonly passwordMade?: Made;
  /** When the password was set last (Unix milliseconds). */
  readonly passwordChangedMs?: number;
  readonly passwordChangeRequired: boolean;
  /** The code by which a forgotten password is replaced. */
  readonly passwordCode?: Required<SealedCode>;
  /** Until the person has taken the account over, whether or not the code is still good. */
  readonly initialization?: InitializationCode & Missed & Made;
  readonly otpSecret?: string;
  readonly externalIDPs: readonly (ExternalIDP & Made)[];
  readonly passwordless: readonly (PasswordlessCode & Missed & Made)[];
  /** Each made by who made the link by which it was registered: whoever had it may have. */
  readonly passkeys: readonly (Passkey & Made)[];
  /** Left out until the first login, or the first that fails. */
  readonly login?: LoginState;
}

/** The phone number of a person and the code that verifies it. */
export interface PhoneState {
  readonly number: string;
  readonly isVerified: boolean;
  /** The code that is pending, and how often it was missed. */
  readonly code?: PhoneCode & { readonly failures: number };
}

/** Wrong codes after which a pending code is gone. */
export const codeFailuresMax = 5;

/** Whether a code opens nothing any more: its time is over, or it was missed too often. */
export function isSpent(
  { expirationMs, failures = 0 }: Partial<Missed> & { readonly expirationMs?: number },
  nowMs: number,
): boolean {
  return (expirationMs !== undefined && expirationMs <= nowMs) || failures >= codeFailuresMax;
}

/** Milliseconds for which codes and links are good, those of mails once the mail has left. */
export const codeLifetimesMs = {
  initialization: 72 * 60 * 60 * 1_000,
  phone: 60 * 60 * 1_000,
  password: 60 * 60 * 1_000,
  passwordless: 60 * 60 * 1_000,
} as const;

/** The state of a person after an event. */
export function evolveHuman(
  state: HumanState | undefined,
  event: HumanEvent & Envelope,
): HumanState {
  const made = madeBy(event);
  if (event.type === "user.human.added") return newHuman(event.payload, event);
  const human = mustExist(state);
  if (isOfPassword(event)) return evolvePassword(human, event);
  switch (event.type) {
    case "user.human.email.changed": {
      const { email } = event.payload;
      const changed = { email, emailMade: made, isEmailVerified: false };
      return { ...withoutPasswordCode(human), ...changed };
    }
    case "user.human.email.verified":
      return { ...human, isEmailVerified: true };
    case "user.human.initialization.code.added":
      return { ...human, initialization: { ...event.payload, failures: 0, ...made } };
    case "user.human.initialization.failed":
      return { ...human, initialization: countMiss(mustExist(human.initialization)) };
    case "user.human.initialized": {
      const { initialization: _used, ...rest } = human;
      return rest;
    }
    case "user.human.otp.added":
    case "user.human.otp.sealed":
      return { ...human, otpSecret: event.payload.secret };
    case "user.human.externalidp.added":
      return { ...human, externalIDPs: [...human.externalIDPs, { ...event.payload, ...made }] };
    case "user.human.passwordless.initialization.code.added":
      return { ...human, passwordless: withLink(human, { ...event.payload, ...made }, event) };
    case "user.human.passwordless.initialization.failed":
      return { ...human, passwordless: countLinkMiss(human, event.payload) };
    case "user.human.passwordless.token.added": {
      const { codeId, ...passkey } = event.payload;
      const link = human.passwordless.find((code) => code.codeId === codeId);
      const passwordless = human.passwordless.filter((code) => code !== link);
      const { maker, via } = link ?? made;
      const passkeys = [...human.passkeys, { ...passkey, maker, ...(via ? { via } : {}) }];
      return { ...human, passwordless, passkeys };
    }
    case "user.human.initialization.code.sent":
    case "user.human.initialization.code.failed": {
      const { expirationMs } = event.payload;
      if (expirationMs === undefined) return human;
      return { ...human, initialization: { ...mustExist(human.initialization), expirationMs } };
    }
    case "user.human.phone.code.sent":
    case "user.human.phone.code.failed":
      return human;
    case "user.human.phone.removed": {
      const { phone: _removed, ...rest } = human;
      return rest;
    }
    case "user.human.phone.changed":
      return { ...human, phone: { number: event.payload.phone, isVerified: false } };
    case "user.human.phone.code.added": {
      const phone = { ...mustExist(human.phone), code: { ...event.payload, failures: 0 } };
      return { ...human, phone, phoneCodeMs: event.timeMs };
    }
    case "user.human.phone.verified":
      return { ...human, phone: { ...withoutCode(human.phone), isVerified: true } };
    case "user.human.phone.verification.failed":
      return { ...human, phone: countPhoneMiss(mustExist(human.phone)) };
    default:
      return withLogin(human, event);
  }
}

/** The person after a login; a passkey that was shown is kept with how often it was used. */
function withLogin(human: HumanState, event: LoginEvent & Envelope): HumanState {
  const login = evolveLogin(human.login, event);
  const used = event.type === "user.human.session.begun" ? event.payload.passkey : undefined;
  if (used === undefined) return { ...human, login };
  const passkeys = human.passkeys.map((one) =>
    one.credentialId === used.credentialId ? { ...one, counter: used.counter } : one,
  );
  return { ...human, login, passkeys };
}

type PasswordEvent = Extract<HumanEvent, { readonly type: `user.human.password.${string}` }>;

function isOfPassword(event: HumanEvent & Envelope): event is PasswordEvent & Envelope {
  return event.type.startsWith("user.human.password.");
}

/** A person after an event of the password; another one voids the code by which one is set. */
function evolvePassword(human: HumanState, event: PasswordEvent & Envelope): HumanState {
  switch (event.type) {
    case "user.human.password.rehashed":
      return { ...human, passwordHash: event.payload.passwordHash };
    case "user.human.password.code.added":
      return { ...human, passwordCode: event.payload };
    case "user.human.password.code.sent":
    case "user.human.password.code.failed":
      return human;
    case "user.human.password.changed":
    case "user.human.password.reset": {
      const { passwordHash } = event.payload;
      const passwordMade = madeThrough(madeBy(event), ...leadingTo(event.type, human));
      const set = { passwordHash, passwordMade, passwordChangedMs: event.timeMs };
      const changed = { ...withoutPasswordCode(human), ...set, passwordChangeRequired: false };
      if (event.type === "user.human.password.reset") {
        return { ...changed, login: evolveLogin(human.login, event) };
      }
      // What the holders of the old one let applications do ends.
      return { ...changed, ...(human.login && { login: { ...human.login, consents: [] } }) };
    }
    default:
      return unknownEvent(event);
  }
}

/**
 * Who made what another password is chosen by: a mail, the code to initialize the account, or the
 * password of before.
 */
function leadingTo(
  event: "user.human.password.changed" | "user.human.password.reset",
  { emailMade, passwordMade, initialization }: HumanState,
): readonly (Made | undefined)[] {
  if (event === "user.human.password.reset") return [emailMade];
  // Nobody logs in before that is over.
  if (initialization === undefined) return [passwordMade];
  // Whoever has a code mailed does not see it.
  return [initialization.send === false ? initialization : emailMade];
}

/** The same person, whose code for another password is good no more. */
export function withoutPasswordCode({ passwordCode: _void, ...human }: HumanState): HumanState {
  return human;
}

/** The links with another one; those that have ended are of no use to anybody. */
function withLink(
  { passwordless }: HumanState,
  link: PasswordlessCode & Made,
  { timeMs }: Envelope,
): HumanState["passwordless"] {
  const working = passwordless.filter((code) => !isSpent(code, timeMs));
  return [...working, { ...link, failures: 0 }];
}

/** The links, of which one was tried with a wrong code. */
function countLinkMiss(
  { passwordless }: HumanState,
  { codeId }: Pick<PasswordlessCode, "codeId">,
): HumanState["passwordless"] {
  return passwordless.map((code) => (code.codeId === codeId ? countMiss(code) : code));
}

function countMiss<Code extends Missed>(code: Code): Code {
  return { ...code, failures: code.failures + 1 };
}

/** The phone after a wrong code, which ends the pending code where it was one too many. */
function countPhoneMiss(phone: PhoneState): PhoneState {
  const { code } = phone;
  const failures = (code?.failures ?? 0) + 1;
  return code === undefined || failures >= codeFailuresMax
    ? withoutCode(phone)
    : { ...phone, code: { ...code, failures } };
}

function withoutCode(state: PhoneState | undefined): PhoneState {
  const { code: _used, ...phone } = mustExist(state);
  return phone;
}

/** The claims of a person: an account at a provider logs one person in, and so does a passkey. */
export function humanClaims({ externalIDPs, passkeys }: HumanState): readonly Claim[] {
  return [
    ...externalIDPs.map(({ idpId, externalUserId }) => ({
      ...linksTo(idpId),
      value: externalUserId,
    })),
    ...passkeys.map(({ credentialId: value }) => ({ kind: "user.passkey", scope: "", value })),
  ];
}

function newHuman(
  { userName: _name, nameClaim: _looks, shownClaim: _shown, via, phone, ...given }: HumanAdded,
  { actor: maker, timeMs }: Envelope,
): HumanState {
  const made = { maker, ...(via ? { via } : {}) };
  return {
    ...given,
    isEmailVerified: false,
    emailMade: made,
    externalIDPs: [],
    passwordless: [],
    passkeys: [],
    ...(phone === undefined ? {} : { phone: { number: phone, isVerified: false } }),
    ...(given.passwordHash === undefined ? {} : { passwordMade: made, passwordChangedMs: timeMs }),
  };
}
