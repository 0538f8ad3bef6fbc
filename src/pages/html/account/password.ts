import { html } from "../../../text/html.ts";
import type { WrongChange } from "../login.ts";
import { newPasswordField, type PasswordRule, passwordField } from "../password-field.ts";
import { doneText, type OfPerson, paragraphs, partForm, partPage, wrongText } from "./part.ts";

/** Why another password is not taken: the current one is not right, or the new one is not fine. */
export type WrongOwnPassword = WrongChange | "current" | "tooMany" | "tooOften";

/** A person who chooses another password, or a first one. */
export interface ShownPassword extends OfPerson, PasswordRule {
  readonly userName: string;
  readonly hasPassword: boolean;
  readonly wrong?: WrongOwnPassword;
  readonly isSaved?: boolean;
}

/** Lets a person choose another password, who gives the one that there is. */
export function passwordPage({ wrong, isSaved = false, ...shown }: ShownPassword) {
  return partPage(
    "password",
    { ...shown, isProblem: wrong !== undefined },
    (frame) => {
      const { account, login, owner, password } = frame.texts;
      const { password: texts } = account;
      const { hasPassword, passwordCharactersMin: min, passwordCharactersMax: max } = shown;
      const errors: { readonly [problem in WrongOwnPassword]?: string } = {
        length: password.wrong(min, max),
        common: password.common,
        same: login.change.same,
      };
      const ofCurrent = { current: texts.wrong, tooMany: login.tooMany };
      const error = wrong === "current" || wrong === "tooMany" ? ofCurrent[wrong] : undefined;
      const asked = { id: "current", label: texts.current, error } as const;
      const current = passwordField({ ...asked, autocomplete: "current-password" }, password);
      const field = { ...shown, label: login.change.label, error: wrong && errors[wrong] };
      const content = html`<label for="username">${owner.userName}</label>
<input id="username" type="text" value="${shown.userName}" readonly dir="auto"
 autocomplete="username">
${hasPassword ? html`${current}\n` : undefined}${newPasswordField(field, password)}
`;
      const submit = hasPassword ? texts.submit : texts.submitFirst;
      const form = { part: "password", fields: { step: "change" }, content, submit } as const;
      const tooOften = wrong === "tooOften" ? account.tooOften : undefined;
      return html`${doneText(texts.saved, isSaved)}${wrongText(tooOften)}${paragraphs(
        hasPassword ? texts.about : [texts.first],
      )}${partForm(form, shown, frame)}`;
    },
    ["password.js"],
  );
}
