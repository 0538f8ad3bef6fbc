import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of what is written from right to left, or with other signs than in Europe. */
export const languageFaults: readonly Fault[] = [
  [
    "Arabic from left to right",
    at("text/language.ts", 'leftward: readonly Language[] = ["ar"]', "leftward: Language[] = []"),
  ],
  [
    "counts in Arabic as in English",
    at("text/language.ts", "Intl.PluralRules(locales[language])", 'Intl.PluralRules("en")'),
  ],
  ["dates with other digits than codes", at("text/language.ts", "-nu-latn", "-nu-arab")],
  [
    "Japanese who are asked for the given name first",
    at("text/language.ts", 'language === "ja" ? namesInOrder', 'language === "" ? namesInOrder'),
  ],
  ["lists with the comma of Europe", at("text/language.ts", 'commas[language] ?? ", "', '", "')],
  [
    "names in Arabic mails that turn the signs around them",
    at("notify/message/texts.ts", "name: isolateIn(language, name)", "name"),
  ],
  [
    "mails whose body does not say its direction",
    at("notify/message/mail-html.ts", `<div \${written} style`, "<div style"),
  ],
  [
    "codes typed from right to left",
    at(
      "pages/html/field.ts",
      ` dir="ltr" autocomplete="one-time-code"`,
      ` autocomplete="one-time-code"`,
    ),
  ],
  [
    "recovery codes shown from right to left",
    at("pages/html/account/authenticator.ts", '<li><code dir="ltr">', "<li><code>"),
  ],
  [
    "lists indented on the left in every language",
    at("pages/assets/style.css", "padding-inline-start: 1.25rem", "padding-left: 1.25rem"),
  ],
  [
    "names that lose their digits",
    at(
      "text/visible.ts",
      `digits < phoneDigitsMin ? digit : "•"`,
      `(text.match(/\\p{Nd}/gu)?.length ?? 0) < phoneDigitsMin ? digit : ""`,
    ),
  ],
  ["names that can be dialled", at("text/visible.ts", "digits < phoneDigitsMin ?", "digits > 0 ?")],
];
