import type { WrongPassword } from "../../domain/user/credential/password.ts";
import { html } from "../../text/html.ts";
import { aboutError, errorOf, hidden, marked, owner } from "./field.ts";
import { type LoginTarget, leadsTo, linkForm } from "./login.ts";
import { notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField, ownName, type PasswordRule } from "./password-field.ts";

/** Asks somebody who has forgotten the password who it is. */
export function forgottenPage(
  target: LoginTarget,
  { userName, isTooMuch }: { readonly userName: string; readonly isTooMuch: boolean },
) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const error = isTooMuch ? login.forgotten.tooMany : undefined;
    return {
      title: login.forgotten.title,
      isProblem: isTooMuch,
      content: html`${leadsTo(target, frame)}
<p>${login.forgotten.ask}</p>
<form id="forgotten-form" action="${frame.base}login/${target.uid}" method="post">
${hidden({ step: "ask" })}<label for="username">${login.userName}</label>
${errorOf("username", error)}<input id="username" name="userName" type="text" required
 value="${userName}" dir="auto" autocomplete="username" autocapitalize="none" autocorrect="off"
 spellcheck="false" maxlength="320"${aboutError("username", error) ?? html` autofocus`}>
<button type="submit">${login.forgotten.submit}</button>
</form>
${linkForm({ step: "other" }, login.forgotten.back, target, frame)}`,
    };
  };
}

/** Says that the mail is on its way, if anybody gets one. */
export function sentPage(target: LoginTarget) {
  return (frame: Frame): Page => {
    const { sent, back } = frame.texts.login.forgotten;
    const { title, content } = notice(sent, linkForm({ step: "other" }, back, target, frame));
    return { title, content: html`${leadsTo(target, frame)}\n${content}` };
  };
}

/** An account whose password is about to be replaced. */
export interface ResetAccount extends PasswordRule {
  readonly userId: string;
  readonly code: string;
  readonly userName: string;
  readonly displayName: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
}

/** Lets a person choose another password, behind the mail. */
export function resetPage(account: ResetAccount, wrong: WrongPassword | undefined) {
  return ({ texts, base }: Frame): Page => {
    const { login } = texts;
    const { userId, code, userName, displayName, organization } = account;
    return {
      title: login.change.title,
      isProblem: wrong !== undefined,
      scripts: ["password.js"],
      content: html`${owner(login.forgotten.of(marked(displayName), marked(organization)))}
<p>${login.forgotten.choose}</p>
<form id="reset-form" action="${base}password" method="post">
${hidden({ userID: userId, code })}${ownName(userName, texts)}
${newPasswordField(account, login.change.label, wrong, texts)}
<button type="submit">${login.change.submit}</button>
</form>`,
    };
  };
}

/** Says that the password was replaced, and leads on to the login that is open, if one is. */
export function changedPage(target: LoginTarget | undefined) {
  return (frame: Frame): Page => {
    const { changed, elsewhere } = frame.texts.login.forgotten;
    const more =
      target === undefined
        ? html`<p>${elsewhere}</p>`
        : html`${leadsTo(target, frame)}
<p><a class="button" href="${frame.base}login/${target.uid}">${frame.texts.login.submit}</a></p>`;
    return notice(changed, more);
  };
}
