/** The languages that the service speaks to people; the first one where nothing fits. */
export const languages = ["en", "de", "fr", "es", "it"] as const;

/** A language that the service speaks. */
export type Language = (typeof languages)[number];

/** By which rules each language writes dates: English by those of Britain. */
const locales: { readonly [language in Language]: string } = {
  en: "en-GB",
  de: "de",
  fr: "fr",
  es: "es",
  it: "it",
};

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
