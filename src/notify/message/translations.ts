import type { Language } from "../../text/language.ts";
import type { Texts } from "./translation.ts";
import { ar } from "./translations/ar.ts";
import { de } from "./translations/de.ts";
import { en } from "./translations/en.ts";
import { es } from "./translations/es.ts";
import { fr } from "./translations/fr.ts";
import { it } from "./translations/it.ts";
import { ja } from "./translations/ja.ts";

/** What messages say, by the language of the person. */
export const texts: { readonly [language in Language]: Texts } = { en, de, fr, es, it, ja, ar };
