/**
 * White space and what nobody sees: parsers drop some of it, so that `java\nscript:` would pass,
 * and people would be shown another address than the one that is used.
 */
export const unseen = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * What http and https URLs begin with (RFC 9110, 4.2). `URL` repairs `https:host` and
 * `https:\\host` instead of refusing them, so that what is stored would lead elsewhere in others.
 */
export const httpWithHost = /^https?:\/\/[^/?#\\]+(?:[/?#][^\\]*)?$/i;

/** An absolute http or https URL that every parser reads alike, and that carries no password. */
export function isHttpUrl(text: string): boolean {
  if (!httpWithHost.test(text) || unseen.test(text) || !URL.canParse(text)) return false;
  // A user is looked for in the text, because an empty one is no longer there once it is parsed.
  return !/^[^/]*\/\/[^/?#]*@/.test(text) && /[^.]/.test(new URL(text).hostname);
}
