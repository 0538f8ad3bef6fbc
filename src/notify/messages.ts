import { createHash } from "node:crypto";
import { idOf } from "../domain/noun.ts";
import type { CodeEvent, Destination } from "../domain/user/delivery.ts";
import { type UserState, user } from "../domain/user/user.ts";
import type { RecordedEvent } from "../event.ts";
import { languageOfTag } from "../language.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Message } from "./channel.ts";
import { initializationTexts, phoneTexts } from "./texts.ts";

/** What turning a code event into a message takes. */
export interface Composition {
  readonly keyring: Keyring;
  /** Where people reach the service, without a slash at the end: from configuration only. */
  readonly publicUrl: () => string;
}

/** What is to be delivered, and to whom. */
export interface Order {
  readonly event: RecordedEvent;
  readonly field: string;
  readonly type: CodeEvent["type"];
  readonly destination: Destination;
  readonly user: UserState;
}

/** The message with the code of an event, in the person's language. Throws as the keyring does. */
export function compose(
  { event, field, type, destination, user: state }: Order,
  { keyring, publicUrl }: Composition,
): Message {
  const { channel, to, code: sealed, expirationMs } = destination;
  const code = keyring.open(sealed, { stream: event.stream, field: sealedFields[type] });
  const language = languageOfTag(state.human?.preferredLanguage ?? "");
  const link = () => {
    const ids = { userID: idOf(user, event.stream), orgID: state.organization };
    return `${publicUrl()}/ui/initialize?${new URLSearchParams({ ...ids, code })}`;
  };
  const name = () => oneLine(state.human?.displayName ?? "");
  const texts =
    type === "user.human.phone.code.added"
      ? phoneTexts(language, code)
      : initializationTexts(language, { name: name(), code, link: link(), expirationMs });
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

/** What codes were sealed as. */
const sealedFields: { readonly [type in CodeEvent["type"]]: string } = {
  "user.human.initialization.code.added": "initialization.code",
  "user.human.phone.code.added": "phone.code",
};

const nameCharactersMax = 100;

/**
 * A name that somebody chose, as part of a line: no control character breaks the line, and no mark
 * of direction turns the text around it. The joiners (U+200C, U+200D) are letters to their scripts.
 */
function oneLine(name: string): string {
  const plain = name.replaceAll(/[^\P{C}\u200c\u200d]|[\p{Z}]/gu, " ").replaceAll(/ +/g, " ");
  return [...plain.trim()].slice(0, nameCharactersMax).join("");
}

/** The sealed code in it is like no other, in this log or in any. */
function digestOf({ stream, position, payload }: RecordedEvent): string {
  const text = JSON.stringify([stream, String(position), payload]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
