import { createHash } from "node:crypto";
import { idOf } from "../../domain/noun.ts";
import { codeFieldOf, linkToPage } from "../../domain/user/credential/code.ts";
import type { AskingEvent, CodeEvent, Destination } from "../../domain/user/credential/delivery.ts";
import type { NoticeAdded } from "../../domain/user/state/notice.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import type { RecordedEvent } from "../../event.ts";
import type { Keyring } from "../../secrets/keyring.ts";
import { languageOfTag } from "../../text/language.ts";
import { toOneLine, withoutLinks } from "../../text/visible.ts";
import type { MailBrand } from "./mail-brand.ts";
import type { Message } from "./message.ts";
import { linkingTexts, type Manner, noticeTexts, phoneTexts, type Said } from "./texts.ts";

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
  /** The same event, read. */
  readonly asked: AskingEvent;
  readonly destination: Destination;
  readonly user: UserState;
  /** The name of the organization that the person belongs to, and what mails show of it. */
  readonly organization: string;
  readonly brand: MailBrand;
}

/** The message that an event asks for, in the person's language. Throws as the keyring does. */
export function compose(order: Order, composition: Composition): Message {
  const { event, field, asked, destination } = order;
  const { channel, to } = destination;
  const language = languageOfTag(order.user.human?.preferredLanguage ?? "");
  const manner = { language, brand: order.brand };
  const said =
    asked.type === "user.human.notice.added"
      ? sayNotice(order, asked, manner, composition)
      : sayCode(order, asked, manner, composition);
  return {
    id: `${event.position}-${field}`,
    digest: digestOf(event),
    channel,
    to,
    language,
    ...said,
    timeMs: event.timeMs,
  };
}

/** What the message with a code says. */
function sayCode(
  order: Order,
  { type, payload }: CodeEvent,
  manner: Manner,
  { keyring, publicUrl }: Composition,
): Said {
  const { event, destination, user: state } = order;
  const { expirationMs } = destination;
  const { code: sealed } = payload;
  const userId = idOf(user, event.stream);
  const sealedField = codeFieldOf(type, userId);
  const code = keyring.open(sealed, sealedField);
  const codeId = "codeId" in payload ? payload.codeId : undefined;
  const ids = { publicUrl: publicUrl(), userId, organization: state.organization, codeId };
  const leading =
    (
      mail: Parameters<typeof linkingTexts>[1],
      page: Parameters<typeof linkToPage>[0],
      linked: () => string,
    ) =>
    () => {
      const link = linkToPage(page, { ...ids, code: linked() });
      return linkingTexts(manner, mail, { ...whoseOf(order), code, link, expirationMs });
    };
  // Nobody has to type the code of the link, so it is as long as one that is never guessed.
  const derived = () => keyring.derive(sealed, sealedField);
  const textsOf = {
    "user.human.initialization.code.added": leading("initialization", "initialize", derived),
    "user.human.email.code.added": leading("email", "email/verify", derived),
    "user.human.email.requested": leading("emailRequest", "email/verify", derived),
    "user.human.password.code.added": leading("reset", "password", () => code),
    "user.human.passwordless.link.added": leading("passkey", "passwordless/init", () => code),
    "user.human.phone.code.added": () =>
      phoneTexts(manner.language, { code, host: new URL(publicUrl()).hostname }),
  };
  return textsOf[type]();
}

/** What the mail of a notice says, whose link leads to the account of the person who logs in. */
function sayNotice(
  order: Order,
  { payload }: NoticeAdded,
  manner: Manner,
  { publicUrl }: Composition,
): Said {
  const link = `${publicUrl()}/account`;
  const { timeMs } = order.event;
  return noticeTexts(manner, { ...whoseOf(order), link, timeMs, notice: payload });
}

/** Whom the message is for, as a mail shows it. */
function whoseOf({ user: { human }, organization }: Order) {
  return {
    name: shownName(human?.displayName ?? ""),
    organization: shownName(organization),
  };
}

/** A name that people have chosen, as a mail shows it. */
export function shownName(name: string): string {
  return withoutLinks(toOneLine(name, nameCharactersMax));
}

/** Characters of a name that a mail shows. */
const nameCharactersMax = 100;

/**
 * The digest of an event. A sealed code is like no other, in this log or in any; a notice of a log
 * that was put back may have the payload of another, and was recorded at another time.
 */
function digestOf({ stream, position, payload, timeMs }: RecordedEvent): string {
  const text = JSON.stringify([stream, String(position), payload, timeMs]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
