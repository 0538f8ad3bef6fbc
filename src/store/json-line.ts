// Texts in JSON that may hold anything by the time they are read.

/** The members of an object in JSON; none where the text is no such thing. */
export function membersOf(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether it is a position of the log in decimal. */
export function isPosition(text: unknown): text is string {
  return typeof text === "string" && /^(0|[1-9]\d{0,18})$/.test(text);
}

/** Whether it is a SHA-256 or an HMAC of it in hexadecimal. */
export function isHash(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}
