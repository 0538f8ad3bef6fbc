// What people see of a text, and what they do not.

/**
 * White space, control characters, and characters that are invisible by design. Parsers drop some
 * of them, so that `java\nscript:` would pass, and people would be shown another text than the one
 * that is used.
 */
const unseen = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Marks that turn the text around them, so that it is read otherwise than it is written. */
const turning = /\p{Bidi_Control}/u;

/**
 * Letters, symbols and marks that look like nothing and that Unicode does not call invisible: the
 * fillers of Hangul and Khitan, the blank of Braille, the null notehead, and what stands around
 * annotations, for objects and between hieroglyphs.
 */
const filler =
  /[\u115f\u1160\u2800\u3164\uffa0\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/u;

/** Characters that end a line, or that logs, mails and terminals take for a command. */
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text has a character that people do not see: white space, controls or invisible. */
export function hasUnseen(text: string): boolean {
  return unseen.test(text);
}

/** Whether people see nothing of the text. */
export function isBlank(text: string): boolean {
  return [...text].every(hasUnseen);
}

/** Whether a text has control characters or line breaks, so that it does not fit into one line. */
export function hasLineBreak(text: string): boolean {
  return lineBreaking.test(text);
}

/** Whether a text has bidirectional control characters, or letters that look blank. */
export function isMisleading(text: string): boolean {
  return turning.test(text) || filler.test(text);
}

/** The text without the characters that are invisible by design. */
export function stripInvisible(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/**
 * A text that somebody chose, as part of a line of at most so many characters: no control character
 * breaks the line, and no mark of direction turns the text around it. The joiners (U+200C, U+200D)
 * are letters to their scripts.
 */
export function toOneLine(text: string, charactersMax: number): string {
  const plain = text.replaceAll(/[^\P{C}\u200c\u200d]|[\p{Z}]/gu, " ").replaceAll(/ +/g, " ");
  return [...plain.trim()].slice(0, charactersMax).join("");
}

/**
 * The text as programs compare it, cut off behind so many characters: whatever is no visible
 * character of ASCII stands as its number, so that nothing looks like something else.
 */
export function spelledOut(text: string, charactersMax: number): string {
  const characters = [...text];
  const spelled = characters
    .slice(0, charactersMax)
    .map((one) => (/[!-~]/.test(one) ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`));
  return spelled.join("") + (characters.length > charactersMax ? "…" : "");
}

/**
 * The text with a space behind each dot, colon, at-sign and backslash that something follows
 * directly, in whatever form of Unicode: mail programs make links of a text with one, for example
 * `evil.example`, `http://host`, `a@b` or `\\\\host`. They make one of a phone number, too, however
 * it is spaced, so that no more digits are shown than are too few for one.
 */
export function withoutLinks(text: string): string {
  let digits = 0;
  const plain = text.replaceAll(/\p{Nd}/gu, (digit) => {
    digits += 1;
    return digits < phoneDigitsMin ? digit : "•";
  });
  return plain.replaceAll(/\S(?=\S)/gu, (one) =>
    linking.test(one.normalize("NFKC")) ? `${one} ` : one,
  );
}

/** The digits of a phone number without its area, which is the shortest that is dialled. */
const phoneDigitsMin = 6;

/** What joins the parts of an address; the ideographic full stop is a dot to DNS (UTS 46). */
const linking = /[.:@\\\u3002]/;
