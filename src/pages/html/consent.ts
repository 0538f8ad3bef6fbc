import { html } from "../../text/html.ts";
import { marked, owner } from "./field.ts";
import { destinationName, form, type LoginTarget, smallForm } from "./login.ts";
import type { Frame, Page } from "./page.ts";

/** Asks a person whether an application may call this service in the person's name. */
export function consentPage(
  target: LoginTarget,
  { displayName, isAway }: { readonly displayName: string; readonly isAway: boolean },
) {
  return (frame: Frame): Page => {
    const { consent, proceed } = frame.texts.login;
    const [name, organization] = [destinationName(target, frame), target.organization];
    return {
      title: consent.title,
      content: html`<p>${consent.ask(marked(name), marked(organization))}</p>
${owner(marked(displayName))}
<p>${consent.power}</p>
${isAway ? html`<p>${consent.away}</p>\n` : undefined}${form("allow", target, frame)}
<button type="submit">${consent.submit}</button>
</form>
${smallForm({ step: "deny" }, consent.deny, target, frame)}
${smallForm({ step: "other" }, proceed.other, target, frame)}`,
    };
  };
}
