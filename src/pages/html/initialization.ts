import type { WrongPassword } from "../../domain/user/credential/password.ts";
import { html } from "../../text/html.ts";
import { codePage, hidden, marked, owner } from "./field.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField, ownName, type PasswordRule } from "./password-field.ts";

/** An account that its person is about to take over. */
export interface Account extends PasswordRule {
  readonly userId: string;
  readonly code: string;
  readonly userName: string;
  readonly displayName: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
  readonly needsPassword: boolean;
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
    const form = { texts, action: `${base}initialize`, submit, help, isWrong, code };
    return codePage(title, askCode, { ...form, hidden: { step: "code", userID: userId } });
  };
}

/** Lets a person take over an account, with a password where it has none. */
export function accountPage(account: Account, { wrong }: { readonly wrong?: WrongPassword }) {
  return (frame: Frame): Page => {
    const { texts } = frame;
    const { initialization, login, password } = texts;
    const { title, choosePassword, keepPassword, submit, submitKept } = initialization;
    const { needsPassword, userId, code, displayName, organization } = account;
    const field = () => newPasswordField(account, password.label, wrong, texts);
    return {
      title,
      isProblem: wrong !== undefined,
      scripts: needsPassword ? ["password.js"] : [],
      content: html`${owner(login.forgotten.of(marked(displayName), marked(organization)))}
<p>${needsPassword ? choosePassword : keepPassword}</p>
<form id="account-form" action="${frame.base}initialize" method="post">
${hidden({ step: "account", userID: userId, code })}${ownName(account.userName, texts)}
${needsPassword ? field() : undefined}
<button type="submit">${needsPassword ? submit : submitKept}</button>
</form>`,
    };
  };
}
