import { html } from "../../text/html.ts";
import { attributesOf, codeForm, errorOf, hidden, marked, owner } from "./field.ts";
import type { Frame, Page } from "./page.ts";

/** An account that its person is about to take over. */
export interface Account {
  readonly userId: string;
  readonly code: string;
  readonly userName: string;
  readonly displayName: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
  readonly needsPassword: boolean;
  readonly passwordCharactersMin: number;
  readonly passwordCharactersMax: number;
}

/**
 * Asks for the code of the mail, where the link came without the one of links; after a wrong one
 * again. A code that is known already is filled in.
 */
export function initializationCodePage(
  { userId, code }: Pick<Account, "userId" | "code">,
  { isWrong }: { readonly isWrong: boolean },
) {
  return ({ texts, base }: Frame): Page => {
    const { title, askCode, submitCode: submit, wrongCodeHelp: help } = texts.initialization;
    const action = `${base}initialize`;
    const form = { texts, action, submit, help, isWrong, code };
    return {
      title,
      isProblem: isWrong,
      content: html`<p>${askCode}</p>
${codeForm({ ...form, hidden: { step: "code", userID: userId } })}`,
    };
  };
}

/** What is wrong with a password: how long it is, or that it is tried first. */
export type WrongPassword = "length" | "common";

/** Lets a person take over an account, with a password where it has none. */
export function accountPage(account: Account, { wrong }: { readonly wrong?: WrongPassword }) {
  return (frame: Frame): Page => {
    const { initialization, login } = frame.texts;
    const { title, choosePassword, keepPassword, userName, submit, submitKept } = initialization;
    const { needsPassword, userId, code, displayName, organization } = account;
    return {
      title,
      isProblem: wrong !== undefined,
      scripts: needsPassword ? ["password.js"] : [],
      content: html`${owner(login.forgotten.of(marked(displayName), marked(organization)))}
<p>${needsPassword ? choosePassword : keepPassword}</p>
<form id="account-form" action="${frame.base}initialize" method="post">
${hidden({ step: "account", userID: userId, code })}<label for="username">${userName}</label>
<input id="username" type="text" value="${account.userName}" readonly dir="auto"
 autocomplete="username">
${needsPassword ? passwordField(account, wrong, frame) : undefined}
<button type="submit">${needsPassword ? submit : submitKept}</button>
</form>`,
    };
  };
}

/** How long a password is. */
export type PasswordRule = Pick<Account, "passwordCharactersMin" | "passwordCharactersMax">;

/** `password.js` shows what is typed, and says how long it is. */
function passwordField(
  rule: PasswordRule,
  wrong: WrongPassword | undefined,
  { texts: { password } }: Frame,
) {
  const { passwordCharactersMin: min, passwordCharactersMax: max } = rule;
  const errors = { length: password.wrong(min, max), common: password.common };
  return newPasswordField(
    { ...rule, label: password.label, error: wrong && errors[wrong] },
    password,
  );
}

/** Asks for a password that somebody chooses. */
export function newPasswordField(
  {
    passwordCharactersMin: min,
    passwordCharactersMax: max,
    label,
    error,
  }: PasswordRule & { readonly label: string; readonly error: string | undefined },
  password: Frame["texts"]["password"],
) {
  return html`<label for="password">${label}</label>
<p class="hint" id="password-hint">${password.rule(min, max)}</p>
${errorOf("password", error)}<input id="password" name="password" type="password" required
 dir="auto" autocomplete="new-password" autocapitalize="none" autocorrect="off" spellcheck="false"
 ${attributesOf("password", error)}>
<p class="status" id="password-status" aria-live="polite" data-min="${min}" data-max="${max}"
 data-short="${password.tooShort(min)}" data-long="${password.tooLong(max)}"
 data-right="${password.longEnough}"></p>
<p class="choice" id="show-password-choice" hidden>
<input id="show-password" type="checkbox" autocomplete="off" aria-controls="password">
<label for="show-password">${password.show}</label>
</p>`;
}
