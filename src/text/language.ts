/** The languages that the service speaks to people; the first one where nothing fits. */
export const languages = ["en", "de", "fr", "es", "it"] as const;

/** A language that the service speaks. */
export type Language = (typeof languages)[number];

/** The service's language for a person who prefers the one of a BCP 47 tag, or none. */
export function languageOfTag(tag: string): Language {
  const [primary] = tag.toLowerCase().split("-");
  return languages.find((language) => language === primary) ?? languages[0];
}
