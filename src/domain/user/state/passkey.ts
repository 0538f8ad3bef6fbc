import type { Envelope } from "../../../event.ts";
import { unknownEvent } from "../../noun.ts";
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

/** The events of passkeys, and of links by which they are registered. */
export type PasskeyEvent =
  | {
      readonly type: "user.human.passwordless.initialization.code.added";
      readonly payload: PasswordlessCode & Via;
    }
  | { readonly type: "user.human.passwordless.link.added"; readonly payload: MailedLink }
  | {
      readonly type: "user.human.passwordless.link.sent" | "user.human.passwordless.link.failed";
      readonly payload: BegunLink;
    }
  | {
      readonly type:
        | "user.human.passwordless.initialization.failed"
        | "user.human.passwordless.initialization.removed";
      readonly payload: Pick<PasswordlessCode, "codeId">;
    }
  | {
      readonly type: "user.human.passwordless.token.added";
      readonly payload: Passkey & Pick<PasswordlessCode, "codeId">;
    }
  | {
      readonly type: "user.human.passwordless.token.renamed";
      readonly payload: Pick<Passkey, "credentialId" | "name">;
    }
  | {
      readonly type: "user.human.passwordless.token.removed";
      readonly payload: Pick<Passkey, "credentialId"> & StayingSessions;
    };

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
  isPast: true,
  lengthens: false,
  weight: 1,
  isOf: ({ kind, id }, session) => kind === "passkey" && id === session.passkey?.credentialId,
  events: {
    "user.human.passwordless.initialization.code.added":
      "A link to register a passkey was created; its hash is stored",
    "user.human.passwordless.link.added":
      "A link to register a passkey was created for a mail; its code is stored sealed and hashed",
    "user.human.passwordless.link.sent": "The mail with the link was sent; its lifetime begins",
    "user.human.passwordless.link.failed":
      "Sending the mail was given up; the lifetime of the link begins anyway",
    "user.human.passwordless.initialization.failed": "A wrong code for a passkey link was tried",
    "user.human.passwordless.token.added": "A passkey was registered: id and public key",
    "user.human.passwordless.initialization.removed": "A link to register a passkey was removed",
    "user.human.passwordless.token.renamed": "The person gave a passkey another name",
    "user.human.passwordless.token.removed":
      "A passkey was removed; sessions, tokens and known browsers ended, except the session in " +
      "which the person removed it",
  },
  counted: ["user.human.passwordless.token.removed"],
  secrets: ["codeHash"],
  begin: () => ({ passwordless: [], passkeys: [] }),
  evolve<State extends Holder>(human: State, event: PasskeyEvent & Envelope): State {
    switch (event.type) {
      case "user.human.passwordless.initialization.code.added":
      case "user.human.passwordless.link.added": {
        const link = { ...event.payload, ...madeBy(event) };
        return { ...human, passwordless: withLink(human.passwordless, link, event) };
      }
      case "user.human.passwordless.link.sent":
      case "user.human.passwordless.link.failed":
        return { ...human, passwordless: beginLink(human.passwordless, event.payload) };
      case "user.human.passwordless.initialization.failed":
        return { ...human, passwordless: countLinkMiss(human.passwordless, event.payload) };
      case "user.human.passwordless.token.added": {
        const { codeId, ...added } = event.payload;
        const link = human.passwordless.find((code) => code.codeId === codeId);
        const passwordless = human.passwordless.filter((code) => code !== link);
        const made = { ...makerOfPasskey(event, link, human.emailMade), addedMs: event.timeMs };
        const passkeys = [...human.passkeys, { ...added, ...made }];
        return { ...human, passwordless, passkeys };
      }
      case "user.human.passwordless.initialization.removed":
        return withoutLink(human, event.payload);
      case "user.human.passwordless.token.renamed":
        return withName(human, event.payload);
      case "user.human.passwordless.token.removed":
        return withoutPasskey(human, event.payload);
      default:
        return unknownEvent(event);
    }
  },
} as const satisfies FactorTraits<Holder, PasskeyEvent>;

/** The same person, one of whose passkeys was shown with this counter at a time. */
export function withCounter<State extends PasskeyHeld>(
  human: State,
  { credentialId, counter }: Pick<Passkey, "credentialId" | "counter">,
  usedMs: number,
): State {
  return changed(human, credentialId, { counter, usedMs });
}

/** The same person, one of whose passkeys has another name. */
function withName<State extends PasskeyHeld>(
  human: State,
  { credentialId, name }: Pick<Passkey, "credentialId" | "name">,
): State {
  return changed(human, credentialId, { name });
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

/** The same person without a link by which a passkey may be registered. */
function withoutLink<State extends PasskeyHeld>(
  human: State,
  { codeId }: Pick<PasskeyLink, "codeId">,
): State {
  return { ...human, passwordless: human.passwordless.filter((code) => code.codeId !== codeId) };
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
