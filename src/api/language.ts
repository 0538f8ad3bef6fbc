import Negotiator from "negotiator";

/** The languages that the service speaks to people; the first one where nothing fits. */
export const languages = ["en", "de", "fr", "es", "it"] as const;

export type Language = (typeof languages)[number];

/** The best of the service's languages for an `accept-language` header (RFC 9110, 12.5.4). */
export function languageOf(acceptLanguage: string): Language {
  if (acceptLanguage === "") return languages[0];
  const wanted = new Negotiator({ headers: { "accept-language": acceptLanguage } });
  const [best] = wanted.languages([...languages]);
  return languages.find((language) => language === best) ?? languages[0];
}
