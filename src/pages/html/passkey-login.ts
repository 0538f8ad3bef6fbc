import { html } from "../../text/html.ts";
import { hidden } from "./field.ts";
import { assertion, cancel, type LoginTarget, leadsTo, smallForm } from "./login.ts";
import type { Frame, Page } from "./page.ts";
import { problemAttributes } from "./passkey.ts";

/** What a passkey is asked for with. */
interface Asked {
  /** What browsers are told (PublicKeyCredentialRequestOptionsJSON), as JSON. */
  readonly options: string;
  /** The name that was typed; empty where it was none. */
  readonly userName: string;
  /** Whether one was shown that is not taken. */
  readonly isWrong: boolean;
}

/** Lets a person show a passkey: `passkey-login.js` asks the browser, at first by itself. */
export function passkeyLoginPage(target: LoginTarget, { options, userName, isWrong }: Asked) {
  return (frame: Frame): Page => {
    const { texts, base } = frame;
    const { passkey } = texts.login;
    const hasPassword = target.ways?.password ?? true;
    return {
      title: passkey.title,
      isProblem: isWrong,
      scripts: ["webauthn.js", "passkey-send.js", "passkey-form.js", "passkey-login.js"],
      content: html`${leadsTo(target, frame)}
<p>${passkey.ask}</p>
<noscript><p class="error">${passkey.needsScript}</p></noscript>
<form id="passkey-login" action="${base}login/${target.uid}" method="post" hidden
 data-options="${options}"${problemAttributes(passkey.problems)}>
${hidden({ ...assertion, userName })}
<p class="error" id="passkey-error" tabindex="-1"${isWrong ? undefined : html` hidden`}
 role="alert">${isWrong ? passkey.wrong : undefined}</p>
<p class="status" id="passkey-status" role="status"
 data-waiting="${texts.passkey.waiting}"></p>
<button id="passkey-show" type="submit">${passkey.submit}</button>
</form>
${hasPassword ? smallForm({ step: "other" }, passkey.other, target, frame) : undefined}
${cancel(target, frame)}`,
    };
  };
}
