import { type Html, html } from "../../text/html.ts";
import type { Grant } from "../texts.ts";
import { marked } from "./field.ts";
import { destinationName, form, type LoginTarget, linkForm, smallForm } from "./login.ts";
import type { Frame, Page } from "./page.ts";

/** What an application asks of a person. */
export interface AskedConsent {
  /** Who is asked. */
  readonly displayName: string;
  /** Where the answer goes: a host, or the scheme of a native application. A device has neither. */
  readonly site?: string;
  /** In the order that they are told. */
  readonly asks: readonly Grant[];
}

/**
 * Asks a person whether an application may call this service in the person's name, or whether a
 * device may log in.
 */
export function consentPage(target: LoginTarget, { displayName, site, asks }: AskedConsent) {
  return (frame: Frame): Page => {
    const { consent, device, proceed } = frame.texts.login;
    const { title, ask, trust } = site === undefined ? device.consent : consent;
    const [name, organization] = [destinationName(target, frame), target.organization];
    const asked = [consent.identity, ...asks.map((one) => consent.grants[one])];
    return {
      title,
      content: html`<p>${ask(marked(name), marked(organization))}</p>
<dl class="facts">
${site === undefined ? undefined : siteOf(site, frame)}<dt>${consent.you}</dt>
<dd><bdi>${displayName}</bdi></dd>
</dl>
<p>${consent.list}</p>
<ul>
${asked.map((text) => html`<li>${text}</li>\n`)}</ul>
<p>${trust}</p>
<div class="pair">
${form("allow", target, frame)}
<button class="main" type="submit">${consent.submit}</button>
</form>
${smallForm({ step: "deny" }, consent.deny, target, frame)}
</div>
${linkForm({ step: "other" }, proceed.other, target, frame)}`,
    };
  };
}

function siteOf(site: string, { texts }: Frame): Html {
  return html`<dt>${texts.login.consent.site}</dt>
<dd><bdi>${site}</bdi></dd>
`;
}
