import { html } from "../../../text/html.ts";
import {
  newPasswordField,
  ownName,
  type PasswordRule,
  passwordField,
  type WrongChange,
} from "../password-field.ts";
import { doneText, type OfPerson, paragraphs, partForm, partPage, wrongText } from "./part.ts";

/** Why another password is not taken: the current one is not right, or the new one is not fine. */
export type WrongOwnPassword = WrongChange | "current" | "tooMany" | "tooOften";

/** A person who chooses another password, or a first one. */
export interface ShownPassword extends OfPerson, PasswordRule {
  readonly userName: string;
  readonly hasPassword: boolean;
  /** Whether the rules of the organization allow a password: there may be one all the same. */
  readonly isAllowed: boolean;
  readonly wrong?: WrongOwnPassword;
  readonly isSaved?: boolean;
}

/** Lets a person choose another password, who gives the one that there is. */
export function passwordPage({ wrong, isSaved = false, ...shown }: ShownPassword) {
  return partPage(
    "password",
    { ...shown, isProblem: wrong !== undefined },
    (frame) => {
      const { account, login, password } = frame.texts;
      const { password: texts } = account;
      const { hasPassword, isAllowed } = shown;
      if (!hasPassword && !isAllowed) return html`<p>${texts.notAllowed}</p>`;
      const ofCurrent = { current: texts.wrong, tooMany: login.tooMany };
      const error = wrong === "current" || wrong === "tooMany" ? ofCurrent[wrong] : undefined;
      const ofNew = wrong === "length" || wrong === "common" || wrong === "same";
      const asked = { id: "current", label: texts.current, error } as const;
      const current = passwordField({ ...asked, autocomplete: "current-password" }, password);
      const { label } = login.change;
      const field = newPasswordField(shown, label, ofNew ? wrong : undefined, frame.texts);
      const content = html`${ownName(shown.userName, frame.texts)}
${hasPassword ? html`${current}\n` : undefined}${field}
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
