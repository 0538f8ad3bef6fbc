// How damages name what they are about. Each is one line, whatever the damaged text holds.

/** Takes one damage, as a line that says what is damaged and how. */
export type Report = (damage: string) => void;

/** The most characters of a name or value that a line repeats. */
const legibleCharacters = 200;

/** A name or value as it is when it is plain, else in quotes with all that is not seen escaped. */
export function legible(text: string): string {
  if (/^[\p{L}\p{N}_.:@/+-]{1,200}$/u.test(text)) return text;
  const start = [...text].slice(0, legibleCharacters).join("");
  const visible = JSON.stringify(start).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return start.length < text.length ? `${visible}…` : visible;
}

/** `version 3 is missing`, or `versions 3 to 5 are missing`. */
export function missing(name: string, first: number | bigint, last: number | bigint): string {
  return first === last
    ? `${name} ${first} is missing`
    : `${name}s ${first} to ${last} are missing`;
}
