import type { Language } from "../text/language.ts";
import { mailHtml } from "./mail-html.ts";
import type { Coded, Linked, MailTexts } from "./translation.ts";
import { texts } from "./translations.ts";

/** What a message says: SMS has no HTML. */
interface Said {
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

/** The mail by which a forgotten password is replaced, in the same way. */
export function resetTexts(language: Language, values: Linked): Said {
  return mailOf(language, texts[language].reset, values);
}

/** The mail by which a passkey is registered, in the same way. */
export function passkeyTexts(language: Language, values: Linked): Said {
  return mailOf(language, texts[language].passkey, values);
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
  const text = textOf({ ...values, until: timeIn(language, values.expirationMs) });
  return { subject, text, html: mailHtml({ language, subject, text, link: values.link }) };
}

function timeIn(language: Language, ms: number): string {
  const form = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(texts[language].locale, form).format(ms);
}
