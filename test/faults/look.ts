import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of what pages lead to, say and show, and of what people do on them. */
export const lookFaults: readonly Fault[] = [
  [
    "a focus that skips what has to be heard",
    at("pages/html/field.ts", "isFocused ? html` autofocus` : undefined", "html` autofocus`"),
  ],
  [
    "a page without a next step where scripts are off",
    at("pages/html/passkey.ts", "${homeLink(frame)}</noscript>", "</noscript>"),
  ],
  [
    "tabs that do not say what they are a part of",
    at("pages/html/account/part.ts", "of: title,", ""),
  ],
  [
    "times that do not name their zone",
    at("pages/html/account/part.ts", "${timeOf(language, ms)} UTC", "${timeOf(language, ms)}"),
  ],
  [
    "no way past the parts of the account page",
    at("pages/html/page.ts", '<a class="skip" href="#content">${skip}</a>\n', ""),
  ],
  [
    "a consent that hides whom it goes to",
    at("pages/html/consent.ts", "<dd><bdi>${site}</bdi></dd>", "<dd></dd>"),
  ],
  [
    "passkeys that are renamed without a bound",
    at(
      "domain/user/own/passkey.ts",
      'const type = "user.human.passwordless.token.renamed";\n    const full = refuseFull(human, type, nowMs);',
      'const type = "user.human.passwordless.token.renamed";\n    const full = undefined;',
    ),
  ],
  [
    "names of passkeys that are not looked at",
    at("provider/account/passkeys.ts", "if (!isFine)", "if (false)"),
  ],
];
