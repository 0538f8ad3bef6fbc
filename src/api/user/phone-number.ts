/**
 * RFC 3966 without parameters: a global number with visual separators wherever they stand, and with
 * spaces, which people write too; `tel:` in front or not.
 */
const form = /^(?:tel:)?\+[0-9.() -]+$/i;

/** Reads a phone number as E.164; undefined where the text is none. */
export async function readPhoneNumber(text: string): Promise<string | undefined> {
  // The plans of all countries take tens of milliseconds to read, for which no start waits.
  const { parsePhoneNumberFromString } = await import("libphonenumber-js/max");
  const digits = form.test(text) ? text.replaceAll(/[^0-9]/g, "") : "";
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  return parsed?.isPossible() ? parsed.number : undefined;
}

/** As `readPhoneNumber`, of a text that the rule of phone numbers let pass. */
export async function requirePhoneNumber(text: string): Promise<string> {
  const number = await readPhoneNumber(text);
  if (number === undefined) throw new TypeError("a text that is no phone number was let through");
  return number;
}
