/**
 * Whether an e-mail address has no compatibility forms (NFKC). With them, it would be compared as
 * the address of somebody else, while its mail may go to another mailbox.
 */
export function isUnified(email: string): boolean {
  return email.normalize("NFKC") === email.normalize("NFC");
}

/**
 * Whether an e-mail address is of one of the domains, exactly: see `hostOf`. Where there are none,
 * any is.
 */
export function isOfDomains(email: string, domains: readonly string[]): boolean {
  return domains.length === 0 || domains.includes(hostOf(email));
}

/** The host of an e-mail address as DNS has it (UTS 46), in lower case; empty where it has none. */
export function hostOf(email: string): string {
  const host = email.slice(email.lastIndexOf("@") + 1).trim();
  return URL.parse(`http://${host}`)?.hostname ?? "";
}
