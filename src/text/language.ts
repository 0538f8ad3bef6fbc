/** The languages that the service speaks to people; the first one where nothing fits. */
export const languages = ["en", "de", "fr", "es", "it"] as const;

/** A language that the service speaks. */
export type Language = (typeof languages)[number];

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
