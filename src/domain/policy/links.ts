import type { LinkTexts } from "../../text/link-texts.ts";
import type { PrivacyPolicy } from "./privacy.ts";

/** A link as people see it. */
export interface ShownLink {
  readonly href: string;
  readonly text: string;
}

/** The links that are set, in the order in which people see them. */
export function linksOf(policy: PrivacyPolicy, texts: LinkTexts): readonly ShownLink[] {
  const { customLink, supportEmail } = policy;
  const links = [
    { href: policy.tosLink, text: texts.terms },
    { href: policy.privacyLink, text: texts.privacy },
    { href: policy.helpLink, text: texts.help },
    { href: policy.docsLink, text: texts.documentation },
    { href: customLink, text: policy.customLinkText || (URL.parse(customLink)?.host ?? "") },
    { href: supportEmail && mailtoOf(supportEmail), text: texts.support },
  ];
  return links.filter(({ href }) => href !== "");
}

/** The link to an address (RFC 6068), in which no character of it begins a subject or a text. */
function mailtoOf(address: string): string {
  return `mailto:${encodeURIComponent(address).replace("%40", "@")}`;
}
