/**
 * What people typed or pasted in the characters of ASCII where these mean the same: digits, spaces
 * and hyphens of any script, full width and half. Marks that show nothing are left out.
 */
export function inPlain(typed: string): string {
  return typed
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\p{Zs}/gu, " ")
    .replaceAll(/\p{Dash}/gu, "-")
    .replaceAll(/\p{Nd}/gu, digitOf);
}

/** A code that people typed, without spaces and hyphens. */
export function readCode(typed: string): string {
  return inPlain(typed).replaceAll(/[\s-]/g, "");
}

/** The ten digits of a script stand one behind the other from zero on, behind those of another. */
function digitOf(given: string): string {
  const code = given.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}
