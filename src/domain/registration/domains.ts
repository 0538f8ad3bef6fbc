/** The host of an e-mail address, or a domain, as DNS has it (UTS 46), in lower case. */
function hostOf(text: string): string {
  const host = text.slice(text.lastIndexOf("@") + 1).trim();
  return URL.parse(`http://${host}`)?.hostname ?? host.toLowerCase();
}

/** Whether an e-mail address is of one of the domains, exactly; where there are none, any is. */
export function isOfDomains(email: string, domains: readonly string[]): boolean {
  if (domains.length === 0) return true;
  const host = hostOf(email);
  return domains.some((domain) => hostOf(domain) === host);
}
