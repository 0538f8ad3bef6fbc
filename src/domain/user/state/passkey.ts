import type { Envelope } from "../../../event.ts";
import type { EventsOf } from "../../noun.ts";
import type { FactorTraits, StayingSessions } from "./factor-traits.ts";
import type { Person } from "./human-state.ts";
import { type Made, madeBy, type Via } from "./made.ts";
import {
  type BegunLink,
  beginLink,
  countLinkMiss,
  type MailedLink,
  makerOfPasskey,
  type PasskeyLink,
  type PasswordlessCode,
  withLink,
} from "./passkey-link.ts";

/** The payloads of the events of passkeys, and of links by which they are registered. */
export interface PasskeyEvents {
  readonly "user.human.passwordless.initialization.code.added": PasswordlessCode & Via;
  readonly "user.human.passwordless.link.added": MailedLink;
  readonly "user.human.passwordless.link.sent": BegunLink;
  readonly "user.human.passwordless.link.failed": BegunLink;
  readonly "user.human.passwordless.initialization.failed": Pick<PasswordlessCode, "codeId">;
  readonly "user.human.passwordless.token.added": Passkey & Pick<PasswordlessCode, "codeId">;
  readonly "user.human.passwordless.initialization.removed": Pick<PasswordlessCode, "codeId">;
  readonly "user.human.passwordless.token.renamed": Pick<Passkey, "credentialId" | "name">;
  readonly "user.human.passwordless.token.removed": Pick<Passkey, "credentialId"> & StayingSessions;
}

/** A passkey (WebAuthn credential): its id and public key (COSE), both as base64url. */
export interface Passkey {
  readonly credentialId: string;
  readonly publicKey: string;
  /** How often the authenticator says that it was used, against copies of it. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** By which the person knows it again; it may be empty. */
  readonly name: string;
}

/** A passkey of a person, made by who made the link by which it was registered. */
export interface KeptPasskey extends Passkey, Made {
  /** When it was registered (Unix milliseconds). */
  readonly addedMs: number;
  /** When it was shown last (Unix milliseconds); left out until then. */
  readonly usedMs?: number;
}

/** The passkeys of a person. */
export interface PasskeyHeld {
  /** Links by which passkeys may be registered. */
  readonly passwordless: readonly PasskeyLink[];
  /** Each made by who made the link by which it was registered, unless that was mailed. */
  readonly passkeys: readonly KeptPasskey[];
}

/** A person with passkeys, and with who chose the address where links are mailed. */
type Holder = PasskeyHeld & Pick<Person, "emailMade">;

/**
 * A passkey: a key that a device has and uses for somebody whom it knows, which is two factors by
 * itself. `beginSession` looks whether it is there still.
 */
export const passkey = {
  comes: "alone",
  amr: ["pop", "user", "mfa"],
  weight: 1,
  isPast: true,
  isOf: ({ kind, id }, session) => kind === "passkey" && id === session.passkey?.credentialId,
  events: {
    "user.human.passwordless.initialization.code.added": [
      "A link to register a passkey was created; its hash is stored",
      linked,
    ],
    "user.human.passwordless.link.added": [
      "A link to register a passkey was created for a mail; its code is stored sealed and hashed",
      linked,
    ],
    "user.human.passwordless.link.sent": [
      "The mail with the link was sent; its lifetime begins",
      begun,
    ],
    "user.human.passwordless.link.failed": [
      "Sending the mail was given up; the lifetime of the link begins anyway",
      begun,
    ],
    "user.human.passwordless.initialization.failed": [
      "A wrong code for a passkey link was tried",
      (human, { payload }) => ({
        ...human,
        passwordless: countLinkMiss(human.passwordless, payload),
      }),
    ],
    "user.human.passwordless.token.added": [
      "A passkey was registered: id and public key",
      registered,
    ],
    "user.human.passwordless.initialization.removed": [
      "A link to register a passkey was removed",
      (human, { payload }) => ({
        ...human,
        passwordless: human.passwordless.filter(({ codeId }) => codeId !== payload.codeId),
      }),
    ],
    "user.human.passwordless.token.renamed": [
      "The person gave a passkey another name",
      (human, { payload: { credentialId, name } }) => changed(human, credentialId, { name }),
    ],
    "user.human.passwordless.token.removed": [
      "A passkey was removed; sessions, tokens and known browsers ended, except the session in " +
        "which the person removed it",
      (human, { payload }) => withoutPasskey(human, payload),
    ],
  },
  counted: ["user.human.passwordless.token.removed"],
  secrets: ["codeHash"],
} as const satisfies FactorTraits<Holder, PasskeyEvents>;

type Happened<Name extends string> = Envelope &
  EventsOf<Pick<PasskeyEvents, Extract<keyof PasskeyEvents, `user.human.passwordless.${Name}`>>>;

function linked(human: Holder, event: Happened<"initialization.code.added" | "link.added">) {
  const link = { ...event.payload, ...madeBy(event) };
  return { ...human, passwordless: withLink(human.passwordless, link, event) };
}

function begun(human: Holder, { payload }: Happened<"link.sent" | "link.failed">) {
  return { ...human, passwordless: beginLink(human.passwordless, payload) };
}

function registered(human: Holder, event: Happened<"token.added">) {
  const { codeId, ...added } = event.payload;
  const link = human.passwordless.find((code) => code.codeId === codeId);
  const passwordless = human.passwordless.filter((code) => code !== link);
  const made = { ...makerOfPasskey(event, link, human.emailMade), addedMs: event.timeMs };
  return { ...human, passwordless, passkeys: [...human.passkeys, { ...added, ...made }] };
}

/** The same person, one of whose passkeys was shown with this counter at a time. */
export function withCounter<State extends PasskeyHeld>(
  human: State,
  { credentialId, counter }: Pick<Passkey, "credentialId" | "counter">,
  usedMs: number,
): State {
  return changed(human, credentialId, { counter, usedMs });
}

/** The same person without one of its passkeys. */
export function withoutPasskey<State extends PasskeyHeld>(
  human: State,
  { credentialId }: Pick<Passkey, "credentialId">,
): State {
  return {
    ...human,
    passkeys: human.passkeys.filter((one) => one.credentialId !== credentialId),
  };
}

function changed<State extends PasskeyHeld>(
  human: State,
  credentialId: string,
  change: Partial<KeptPasskey>,
): State {
  const passkeys = human.passkeys.map((one) =>
    one.credentialId === credentialId ? { ...one, ...change } : one,
  );
  return { ...human, passkeys };
}
