import { type Html, html, htmlText } from "../../text/html.ts";
import { hidden } from "./field.ts";
import type { Frame, Page } from "./page.ts";

const script = html`document.forms[0].submit()`;

/** All that the page runs, for the policy that allows this and nothing else. */
export const onwardScript = htmlText(script);

/** Where a form goes by itself, and what it carries along. */
interface Onward {
  readonly action: string;
  readonly fields: { readonly [name: string]: string };
}

/** A form that sends itself; without scripts, it has a button. */
export function onwardPage({ action, fields }: Onward) {
  return ({ texts }: Frame): Page => {
    const { title, ask, submit } = texts.login.onward;
    return { title, content: html`<p>${ask}</p>\n${onwardForm(action, fields, submit)}` };
  };
}

/** A logout in a browser in which nobody is logged in: there is nothing to ask. */
export function nobodyLogoutPage({ secret }: { readonly secret: string }) {
  return (frame: Frame): Page =>
    onwardPage({ action: logoutAction(frame), fields: { xsrf: secret, logout: "yes" } })(frame);
}

/** Where the forms of a logout go. */
export function logoutAction({ base }: Pick<Frame, "base">): string {
  return `${base}../oidc/v1/end_session/confirm`;
}

function onwardForm(action: string, fields: Onward["fields"], submit: string): Html {
  return html`<form id="onward-form" action="${action}" method="post">
${hidden(fields)}<button type="submit">${submit}</button>
</form>
<script>${script}</script>`;
}
