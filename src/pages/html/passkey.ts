import { html } from "../../text/html.ts";
import { hidden, marked, owner } from "./field.ts";
import { homeLink, notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** What a link to create a passkey leads to. */
export interface PasskeyLink {
  readonly userId: string;
  readonly codeId: string;
  readonly code: string;
  readonly userName: string;
  /** The way below `/ui/` to what comes after it. */
  readonly done: string;
  /** The most passkeys of an account. */
  readonly passkeysMax: number;
}

/** Lets a person create a passkey: `passkey.js` does it once the button is pressed. */
export function passkeyPage({ userName, done, passkeysMax, ...ids }: PasskeyLink) {
  return (frame: Frame): Page => {
    const {
      texts: { passkey, account },
      base,
    } = frame;
    const problems = { ...passkey.problems, full: account.passkeys.tooMany(passkeysMax) };
    return {
      title: passkey.title,
      scripts: ["webauthn.js", "passkey-form.js", "passkey.js"],
      content: html`${owner(marked(userName))}
<p>${passkey.explanation}</p>
<noscript><p class="error">${passkey.needsScript}</p>
${homeLink(frame)}</noscript>
<form id="passkey-form" method="post" hidden
 data-service="${base}../iam.account.v1.AccountService/" data-done="${base}${done}"
${problemAttributes(problems)}>
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

/** Says that the account has so many passkeys already, and leads to where they are removed. */
export function passkeysFullPage({ passkeysMax }: Pick<PasskeyLink, "passkeysMax">) {
  return ({ texts: { passkey, account }, base }: Frame): Page => {
    const said = { title: passkey.title, paragraphs: [account.passkeys.tooMany(passkeysMax)] };
    const own = `${base}../account/passkeys`;
    const way = html`<p><a class="button" href="${own}">${account.open}</a></p>`;
    return { ...notice(said, way), isProblem: true };
  };
}

/** What a script says when something went wrong, by the kind of it. */
export function problemAttributes(problems: { readonly [problem: string]: string }) {
  return Object.entries(problems).map(([name, text]) => html` data-${name}="${text}"\n`);
}
