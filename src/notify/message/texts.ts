import { linksOf } from "../../domain/policy/links.ts";
import type { Notice } from "../../domain/user/state/notice.ts";
import { isolateIn, type Language, timeIn } from "../../text/language.ts";
import { linkTexts } from "../../text/link-texts.ts";
import type { MailBrand } from "./mail-brand.ts";
import { mailHtml } from "./mail-html.ts";
import type { Message } from "./message.ts";
import type { Coded, Invited, Linked, MailTexts, Whose } from "./translation.ts";
import { texts } from "./translations.ts";

/** What a message says: SMS has no HTML. */
export type Said = Pick<Message, "subject" | "text" | "html" | "picture">;

/** How a mail is written: its language, and what it shows of the organization. */
export interface Manner {
  readonly language: Language;
  readonly brand: MailBrand;
}

/** A mail whose link leads a person to a page: its subject, and its text in both forms. */
export function linkingTexts(
  manner: Manner,
  mail: "initialization" | "email" | "emailRequest" | "reset" | "passkey",
  values: Coded,
): Said {
  const { language } = manner;
  const { subject, text: textOf }: MailTexts<Coded> = texts[language][mail];
  const until = timeIn(language, values.expirationMs);
  const text = textOf({ ...values, ...namesIn(language, values), until });
  const { link, organization } = values;
  return closed(manner, { subject, text, link, label: subject, organization });
}

/** The mail with the code by which somebody registers. */
export function registrationTexts(
  manner: Manner,
  { organization, code, expirationMs }: Omit<Invited, "until"> & Pick<Coded, "expirationMs">,
): Said {
  const { language } = manner;
  const { subject, text: textOf } = texts[language].registration;
  const until = timeIn(language, expirationMs);
  const text = textOf({ organization: isolateIn(language, organization), code, until });
  return closed(manner, { subject, text, label: subject, organization });
}

/** The mail to somebody with whose address somebody tried to register. */
export function registeredTexts(
  manner: Manner,
  { organization, link }: Pick<Linked, "organization" | "link">,
): Said {
  const { language } = manner;
  const { subject, text: textOf, button: label } = texts[language].registered;
  const text = textOf({ organization: isolateIn(language, organization), link });
  return closed(manner, { subject, text, link, label, organization });
}

/** What the mail of a notice is about. */
export interface Noticed extends Whose {
  readonly notice: Notice;
  /** When it happened (Unix milliseconds). */
  readonly timeMs: number;
  /** To the page of the account. */
  readonly link: string;
}

/** The mail that tells a person of a change, and what to do where somebody else made it. */
export function noticeTexts(manner: Manner, { notice, timeMs, link, ...whose }: Noticed): Said {
  const { language } = manner;
  const { name, organization } = namesIn(language, whose);
  const { greet, ifNotYou, withdraw, button: label, about } = texts[language].notice;
  const { subject, text: said } = about[notice.about];
  const time = timeIn(language, timeMs);
  const due = "dueMs" in notice ? timeIn(language, notice.dueMs) : "";
  const advice = "dueMs" in notice ? withdraw : ifNotYou;
  const paragraphs = [greet(name), said({ organization, time, due }), advice, link];
  const text = `${paragraphs.join("\n\n")}\n`;
  return closed(manner, { subject, text, link, label, organization: whose.organization });
}

/**
 * Subject and text of the message with which a phone number is verified; SMS has no subject. The
 * last line binds the code to the host: browsers there alone offer to fill it in (WebOTP).
 */
export function phoneTexts(
  language: Language,
  { code, host }: { readonly code: string; readonly host: string },
): Said {
  const { subject, text } = texts[language].phone;
  return { subject, text: `${text(code, host)}\n\n@${host} #${code}` };
}

/** What a mail says, before what all of them end with. */
interface Opened extends Pick<Whose, "organization"> {
  readonly subject: string;
  readonly text: string;
  readonly link?: string;
  readonly label: string;
}

/** The mail in both forms: at its end stand why the person gets it, and where there is more. */
function closed({ language, brand }: Manner, { subject, text, ...about }: Opened): Said {
  const why = texts[language].why(isolateIn(language, about.organization));
  // Of what organizations write, nothing but names is in mails, since they go to anybody.
  const named = { ...brand.privacy, customLinkText: "" };
  const links = linksOf(named, linkTexts[language]);
  const lines = [why, ...links.map(({ href, text: name }) => `${name}: ${href}`)];
  const html = mailHtml({ ...about, language, subject, text, why, links, brand });
  const { logo: picture } = brand;
  return { subject, text: `${text}\n${lines.join("\n")}\n`, html, ...(picture ? { picture } : {}) };
}

/** The names in a mail, set apart from the words around them. */
function namesIn(language: Language, { name, organization }: Whose): Whose {
  return { name: isolateIn(language, name), organization: isolateIn(language, organization) };
}
