/** The languages that the service speaks to people; the first one where nothing fits. */
export const languages = ["en", "de", "fr", "es", "it", "ja", "ar"] as const;

/** A language that the service speaks. */
export type Language = (typeof languages)[number];

/**
 * By which rules each language writes dates and counts. English has those of Britain, Arabic the
 * digits of codes and phone numbers; a day has 24 hours.
 */
export const locales: { readonly [language in Language]: string } = {
  en: "en-GB",
  de: "de",
  fr: "fr",
  es: "es",
  it: "it",
  ja: "ja",
  ar: "ar-u-hc-h23-nu-latn",
};

/** Languages that are written from right to left. */
const leftward: readonly Language[] = ["ar"];

/** In which direction a language is written, as HTML has it. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return leftward.includes(language) ? "rtl" : "ltr";
}

/**
 * A name or an address within a sentence of the language that has no markup to set it apart: Latin
 * letters would turn the signs around them in what is written from right to left.
 */
export function isolateIn(language: Language, text: string): string {
  return directionOf(language) === "rtl" ? `\u2068${text}\u2069` : text;
}

/** What stands between the parts of a list where it is not the comma of Europe. */
const commas: { readonly [language in Language]?: string } = { ja: "、", ar: "، " };

/** What stands between the parts of a list. */
export function commaIn(language: Language): string {
  return commas[language] ?? ", ";
}

const namesInOrder = ["firstName", "lastName"] as const;

/** The fields of a person's name, in the order in which the language has them. */
export function nameFieldsIn(language: Language): readonly (typeof namesInOrder)[number][] {
  return language === "ja" ? namesInOrder.toReversed() : namesInOrder;
}

/** The forms of a word by its count; `other` is that of counts without a form of their own. */
export type Plural = { readonly [form in Intl.LDMLPluralRule]?: string } & {
  readonly other: string;
};

/** The form of a word that stands with a count in a language. */
export function pluralIn(language: Language, count: number, forms: Plural): string {
  return forms[new Intl.PluralRules(locales[language]).select(count)] ?? forms.other;
}

/** A day in a language, in UTC. */
export function dayIn(language: Language, ms: number): string {
  const form = { dateStyle: "long", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(locales[language], form).format(ms);
}

/** A moment in a language, in UTC, which is not named. */
export function timeIn(language: Language, ms: number): string {
  const form = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(locales[language], form).format(ms);
}

/** The service's language for a person who prefers the one of a BCP 47 tag, or none. */
export function languageOfTag(tag: string): Language {
  return findLanguage(tag) ?? languages[0];
}

/**
 * The first language that the service speaks of those that `ui_locales` lists (OpenID Connect Core
 * 1.0, 3.1.2.1); undefined where there is none.
 */
export function languageOfLocales(locales: unknown): Language | undefined {
  if (typeof locales !== "string") return undefined;
  for (const tag of locales.split(" ")) {
    const language = findLanguage(tag);
    if (language !== undefined) return language;
  }
  return undefined;
}

function findLanguage(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split("-");
  return languages.find((language) => language === primary);
}
