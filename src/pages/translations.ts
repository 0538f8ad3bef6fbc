import type { Language } from "../text/language.ts";
import { ar } from "./texts/ar.ts";
import { de } from "./texts/de.ts";
import { en } from "./texts/en.ts";
import { es } from "./texts/es.ts";
import { fr } from "./texts/fr.ts";
import { it } from "./texts/it.ts";
import { ja } from "./texts/ja.ts";
import type { Texts } from "./texts.ts";

/** Everything that pages say, in every language. */
export const texts: { readonly [language in Language]: Texts } = { en, de, fr, es, it, ja, ar };
