import type { Language } from "./language.ts";

/** Each language by the name that it has itself. */
export const languageNames: { readonly [language in Language]: string } = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  it: "Italiano",
  ja: "日本語",
  ar: "العربية",
};
