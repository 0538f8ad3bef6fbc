import { createHash } from "node:crypto";
import { idOf } from "../domain/noun.ts";
import { codeFieldOf, linkToPage } from "../domain/user/credential/code.ts";
import type { CodeEvent, Destination } from "../domain/user/credential/delivery.ts";
import { type UserState, user } from "../domain/user/user.ts";
import type { RecordedEvent } from "../event.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { languageOfTag } from "../text/language.ts";
import { toOneLine, withoutLinks } from "../text/visible.ts";
import type { Message } from "./channel.ts";
import { emailTexts, initializationTexts, passkeyTexts, phoneTexts, resetTexts } from "./texts.ts";

/** The parts of the service that composing a message takes. */
export interface Composition {
  readonly keyring: Keyring;
  /** The address at which people reach the service, without a slash at the end, as configured. */
  readonly publicUrl: () => string;
}

/** A message to compose: the event that asked for it, and the person who gets it. */
export interface Order {
  readonly event: RecordedEvent;
  readonly field: string;
  readonly type: CodeEvent["type"];
  readonly destination: Destination;
  readonly user: UserState;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
}

/** The message with the code of an event, in the person's language. Throws as the keyring does. */
export function compose(
  { event, field, type, destination, user: state, organization }: Order,
  { keyring, publicUrl }: Composition,
): Message {
  const { channel, to, code: sealed, codeId, expirationMs } = destination;
  const userId = idOf(user, event.stream);
  const sealedField = codeFieldOf(type, userId);
  const code = keyring.open(sealed, sealedField);
  const language = languageOfTag(state.human?.preferredLanguage ?? "");
  const ids = { publicUrl: publicUrl(), userId, organization: state.organization, codeId };
  const linkTo = (page: Parameters<typeof linkToPage>[0], linked: string) =>
    linkToPage(page, { ...ids, code: linked });
  const whose = {
    name: shownName(state.human?.displayName ?? ""),
    organization: shownName(organization),
  };
  const verifying = () => {
    const link = linkTo("email/verify", keyring.derive(sealed, sealedField));
    return emailTexts(language, { ...whose, code, link, expirationMs });
  };
  const textsOf = {
    // Nobody has to type the code of the link, so it is as long as one that is never guessed.
    "user.human.initialization.code.added": () => {
      const link = linkTo("initialize", keyring.derive(sealed, sealedField));
      return initializationTexts(language, { ...whose, code, link, expirationMs });
    },
    "user.human.email.code.added": verifying,
    "user.human.email.requested": verifying,
    "user.human.password.code.added": () => {
      const link = linkTo("password", code);
      return resetTexts(language, { ...whose, link, expirationMs });
    },
    "user.human.passwordless.link.added": () => {
      const link = linkTo("passwordless/init", code);
      return passkeyTexts(language, { ...whose, link, expirationMs });
    },
    "user.human.phone.code.added": () => phoneTexts(language, code),
  };
  const texts = textsOf[type]();
  return {
    id: `${event.position}-${field}`,
    digest: digestOf(event),
    channel,
    to,
    language,
    ...texts,
    timeMs: event.timeMs,
  };
}

/** A name that people have chosen, as a mail shows it. */
function shownName(name: string): string {
  return withoutLinks(toOneLine(name, nameCharactersMax));
}

/** Characters of a name that a mail shows. */
const nameCharactersMax = 100;

/** The digest of an event, whose sealed code is like no other, in this log or in any. */
function digestOf({ stream, position, payload }: RecordedEvent): string {
  const text = JSON.stringify([stream, String(position), payload]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
