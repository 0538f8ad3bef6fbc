import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { Violation } from "../../domain/decision.ts";

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

/** A language tag that is well-formed (RFC 5646, 2.1 and 2.2.9), or empty. */
export function languageViolations(field: string, tag: string): readonly Violation[] {
  if (tag === "" || languageTag.test(tag)) return [];
  return [{ field, description: "must be a BCP 47 language tag such as de or de-CH" }];
}

const subtags = {
  language: "(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})",
  script: "(?:-[a-z]{4})?",
  region: "(?:-(?:[a-z]{2}|[0-9]{3}))?",
  variants: "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*",
  extensions: "(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*",
  privateUse: "x(?:-[a-z0-9]{1,8})+",
} as const;

/** Tags of old that are like no others; those called regular need no list. */
const irregular = [
  ..."en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo".split(" "),
  ..."i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de".split(" "),
];

const { language, script, region, variants, extensions, privateUse } = subtags;
const ordinary = `${language}${script}${region}${variants}${extensions}(?:-${privateUse})?`;
const languageTag = new RegExp(`^(?:${ordinary}|${privateUse}|${irregular.join("|")})$`, "i");
