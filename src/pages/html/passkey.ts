import { html } from "../../text/html.ts";
import { hidden, marked, owner } from "./field.ts";
import { homeLink } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** What a link to create a passkey leads to. */
export interface PasskeyLink {
  readonly userId: string;
  readonly codeId: string;
  readonly code: string;
  readonly userName: string;
  /** The way below `/ui/` to what comes after it. */
  readonly done: string;
}

/** Lets a person create a passkey: `passkey.js` does it once the button is pressed. */
export function passkeyPage({ userName, done, ...ids }: PasskeyLink) {
  return (frame: Frame): Page => {
    const {
      texts: { passkey },
      base,
    } = frame;
    return {
      title: passkey.title,
      scripts: ["webauthn.js", "passkey-form.js", "passkey.js"],
      content: html`${owner(marked(userName))}
<p>${passkey.explanation}</p>
<noscript><p class="error">${passkey.needsScript}</p>
${homeLink(frame)}</noscript>
<form id="passkey-form" method="post" hidden
 data-service="${base}../iam.account.v1.AccountService/" data-done="${base}${done}"
${problemAttributes(passkey.problems)}>
${hidden({ ...ids })}<p class="error" id="passkey-error" role="alert" tabindex="-1" hidden></p>
<label for="passkey-name">${passkey.name}</label>
<p class="hint" id="passkey-name-hint">${passkey.nameHint}</p>
<input id="passkey-name" name="name" type="text" maxlength="200" autocomplete="off" dir="auto"
 aria-describedby="passkey-name-hint">
<p class="status" id="passkey-status" role="status" data-waiting="${passkey.waiting}"></p>
<button id="passkey-create" type="submit">${passkey.submit}</button>
</form>`,
    };
  };
}

/** What a script says when something went wrong, by the kind of it. */
export function problemAttributes(problems: { readonly [problem: string]: string }) {
  return Object.entries(problems).map(([name, text]) => html` data-${name}="${text}"\n`);
}
