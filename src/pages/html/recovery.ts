import { html } from "../../text/html.ts";
import { attributesOf, errorOf } from "./field.ts";
import {
  cancel,
  form,
  type LoginTarget,
  leadsTo,
  linkForm,
  type WrongCode,
  wrongCode,
} from "./login.ts";
import type { Frame, Page } from "./page.ts";

/** Asks for a recovery code, which stands in for a one-time code. */
export function recoveryPage(target: LoginTarget, { wrong }: { readonly wrong?: WrongCode }) {
  return (frame: Frame): Page => {
    const { recovery, submit } = frame.texts.login;
    const error = wrongCode(recovery, wrong, frame);
    return {
      title: recovery.title,
      isProblem: wrong !== undefined,
      content: html`${leadsTo(target, frame)}
<p>${recovery.ask}</p>
${form("recovery-code", target, frame)}
<label for="code">${recovery.label}</label>
<p class="hint" id="code-hint">${recovery.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required dir="ltr"
 autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false"
 maxlength="64" ${attributesOf("code", error, true)}>
<button type="submit">${submit}</button>
</form>
${otpInstead(target, frame)}
${cancel(target, frame)}`,
    };
  };
}

/** Says to somebody who has shown the password that no recovery code is left. */
export function noRecoveryPage(target: LoginTarget) {
  return (frame: Frame): Page => {
    const { recovery } = frame.texts.login;
    return {
      title: recovery.none.title,
      isProblem: true,
      content: html`${leadsTo(target, frame)}
${recovery.none.paragraphs.map((text) => html`<p>${text}</p>\n`)}${otpInstead(target, frame)}
${cancel(target, frame)}`,
    };
  };
}

/** The way back to the page that asks for a one-time code. */
function otpInstead(target: LoginTarget, frame: Frame) {
  return linkForm({ step: "app" }, frame.texts.login.recovery.other, target, frame);
}
