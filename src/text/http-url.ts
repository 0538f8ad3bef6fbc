import { hasUnseen } from "./visible.ts";

/**
 * What http and https URLs begin with (RFC 9110, 4.2). `URL` repairs `https:host` and
 * `https:\\host` instead of refusing them, so that what is stored would lead elsewhere in others.
 */
export const httpWithHost = /^https?:\/\/[^/?#\\]+(?:[/?#][^\\]*)?$/i;

/** Whether a text is an absolute http or https URL that every parser reads alike, no password. */
export function isHttpUrl(text: string): boolean {
  if (!httpWithHost.test(text) || hasUnseen(text) || !URL.canParse(text)) return false;
  // A user is looked for in the text, because an empty one is no longer there once it is parsed.
  return !/^[^/]*\/\/[^/?#]*@/.test(text) && /[^.]/.test(new URL(text).hostname);
}

/** Whether a host, as URLs write it or bare, is this device: localhost, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  if (/^(?:localhost|\[::1\]|::1)$/.test(host)) return true;
  return /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(host);
}
