import { stripInvisible } from "./visible.ts";

/**
 * The form in which texts are compared when case and appearance do not count: compatibility forms
 * unified (NFKC), lower case, no invisible characters, one kind of sigma. `Straße` and `STRASSE`
 * stay apart.
 */
export function foldText(text: string): string {
  // Most texts are printable ASCII, of which the rest leaves all but the case as it is.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return (
    stripInvisible(text.normalize("NFKC"))
      .toLowerCase()
      .replaceAll("ς", "σ")
      // Lower case may compose where upper case could not: J and a caron become one letter.
      .normalize("NFKC")
  );
}
