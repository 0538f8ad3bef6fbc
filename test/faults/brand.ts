import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of what pages and mails show of an organization, and of the choice of a language. */
export const brandFaults: readonly Fault[] = [
  [
    "letters on a button that nobody can read",
    at("pages/brand-style.ts", "textOn(onAccent), 0.2", "onAccent, 0.2"),
  ],
  [
    "quiet letters as faint as edges",
    at("pages/brand-style.ts", "background, contrastMin)", "background, edgeContrastMin)"),
  ],
  [
    "one look kept to only where the browser prefers it",
    at("domain/policy/theme.ts", `if (themeMode === "AUTO") return`, "if (themeMode) return"),
  ],
  [
    "a logo between the list and the content of an account page",
    at("pages/html/page.ts", "${logoOf(frame)}${navigation}\n", "${navigation}\n${logoOf(frame)}"),
  ],
  [
    "a style sheet kept under a path of another one",
    at("pages/routes.ts", "style !== undefined && request.url.endsWith(style.path)", "style"),
  ],
  [
    "a choice of a language that leads to another site",
    at("pages/language-choice.ts", "return `./$", "return `$"),
  ],
  [
    "the language of the application before the chosen one",
    at("pages/language-choice.ts", "chosen ?? asked ??", "asked ?? chosen ??"),
  ],
  [
    "no mail where a logo was forged",
    at("notify/message/mail-brand.ts", "if (!(error instanceof Forged)) throw", "throw"),
  ],
  [
    "words of an organization in mails to anybody",
    at("notify/message/texts.ts", `{ ...brand.privacy, customLinkText: "" }`, "brand.privacy"),
  ],
  [
    "an address for questions that brings a text along",
    at("domain/policy/links.ts", "encodeURIComponent(address)", "encodeURI(address)"),
  ],
  [
    "a brand that a scope names though the project enforces its own",
    at(
      "domain/policy/labeling.ts",
      "      return project;",
      "      return person === page ? page : project;",
    ),
  ],
  ["an SMS bound to no host", at("notify/message/texts.ts", "}\\n\\n@$", "}$")],
];
