import type { Notice } from "../domain/user/human/notice.ts";
import { isolateIn, type Language, timeIn } from "../text/language.ts";
import { mailHtml } from "./mail-html.ts";
import type { Coded, Linked, MailTexts, Whose } from "./translation.ts";
import { texts } from "./translations.ts";

/** What a message says: SMS has no HTML. */
export interface Said {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** The mail that leads a person to a new account: its subject, and its text in both forms. */
export function initializationTexts(language: Language, values: Coded): Said {
  return mailOf(language, texts[language].initialization, values);
}

/** The mail by which an e-mail address is verified, in the same way. */
export function emailTexts(language: Language, values: Coded): Said {
  return mailOf(language, texts[language].email, values);
}

/** The mail by which an e-mail address is proven that somebody has requested, in the same way. */
export function emailRequestTexts(language: Language, values: Coded): Said {
  return mailOf(language, texts[language].emailRequest, values);
}

/** The mail by which a forgotten password is replaced, in the same way. */
export function resetTexts(language: Language, values: Linked): Said {
  return mailOf(language, texts[language].reset, values);
}

/** The mail by which a passkey is registered, in the same way. */
export function passkeyTexts(language: Language, values: Linked): Said {
  return mailOf(language, texts[language].passkey, values);
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
export function noticeTexts(language: Language, { notice, timeMs, link, ...whose }: Noticed): Said {
  const { name, organization } = namesIn(language, whose);
  const { greet, ifNotYou, withdraw, button: label, about } = texts[language].notice;
  const { subject, text: said } = about[notice.about];
  const time = timeIn(language, timeMs);
  const due = "dueMs" in notice ? timeIn(language, notice.dueMs) : "";
  const advice = "dueMs" in notice ? withdraw : ifNotYou;
  const paragraphs = [greet(name), said({ organization, time, due }), advice, link];
  const text = `${paragraphs.join("\n\n")}\n`;
  return { subject, text, html: mailHtml({ language, subject, text, link, label }) };
}

/** Subject and text of the message with which a phone number is verified; SMS has no subject. */
export function phoneTexts(language: Language, code: string): Said {
  const { subject, text } = texts[language].phone;
  return { subject, text: text(code) };
}

function mailOf<Values extends Linked>(
  language: Language,
  { subject, text: textOf }: MailTexts<Values>,
  values: Values,
): Said {
  const until = timeIn(language, values.expirationMs);
  const text = textOf({ ...values, ...namesIn(language, values), until });
  return {
    subject,
    text,
    html: mailHtml({ language, subject, text, link: values.link, label: subject }),
  };
}

/** The names in a mail, set apart from the words around them. */
function namesIn(language: Language, { name, organization }: Whose): Whose {
  return { name: isolateIn(language, name), organization: isolateIn(language, organization) };
}
