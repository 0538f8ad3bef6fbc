import Negotiator from "negotiator";
import { readPart } from "./accept.ts";
import { type Language, languages } from "./language.ts";

/** The best of the service's languages for an `accept-language` header (RFC 9110, 12.5.4). */
export function languageOf(acceptLanguage: string): Language {
  if (acceptLanguage === "") return languages[0];
  const wanted = new Negotiator({ headers: { "accept-language": readPart(acceptLanguage) } });
  const [best] = wanted.languages([...languages]);
  return languages.find((language) => language === best) ?? languages[0];
}
