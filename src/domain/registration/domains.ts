/**
 * Whether an e-mail address has no compatibility forms (NFKC). With them, it would be compared as
 * the address of somebody else, while its mail may go to another mailbox.
 */
export function isUnified(email: string): boolean {
  return email.normalize("NFKC") === email.normalize("NFC");
}

/**
 * Whether an e-mail address is of one of the domains, exactly: hosts as DNS has them (UTS 46), in
 * lower case. Where there are none, any is.
 */
export function isOfDomains(email: string, domains: readonly string[]): boolean {
  const host = email.slice(email.lastIndexOf("@") + 1).trim();
  return domains.length === 0 || domains.includes(URL.parse(`http://${host}`)?.hostname ?? "");
}
