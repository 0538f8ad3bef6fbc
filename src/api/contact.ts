import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { Violation } from "../domain/decision.ts";

/** A phone number as E.164, or why it is not one. */
export type PhoneNumber =
  | { readonly ok: true; readonly number: string }
  | { readonly ok: false; readonly violation: Violation };

/**
 * RFC 3966 without parameters: a global number with visual separators wherever they stand, and with
 * spaces, which people write too; `tel:` in front or not.
 */
const form = /^(?:tel:)?\+[0-9.() -]+$/i;

export function readPhoneNumber(field: string, text: string): PhoneNumber {
  const digits = form.test(text) ? text.replaceAll(/[^0-9]/g, "") : "";
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (parsed?.isPossible()) return { ok: true, number: parsed.number };
  const description = "must be a global phone number such as +41 44 668 18 00";
  return { ok: false, violation: { field, description } };
}

/** A BCP 47 language tag, or empty. */
export function languageViolations(field: string, tag: string): readonly Violation[] {
  if (tag === "") return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ field, description: "must be a BCP 47 language tag such as de or de-CH" }];
  }
}
