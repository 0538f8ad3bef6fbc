import type { WrongPassword } from "../../domain/user/credential/password.ts";
import { html } from "../../text/html.ts";
import {
  type AccountFields,
  type AccountRule,
  accountFields,
  type WrongAccount,
} from "./account-fields.ts";
import { hidden } from "./field.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";

/** What is wrong with what somebody says of itself who becomes an owner, and with the password. */
export type WrongOwner = WrongAccount & { readonly password?: WrongPassword };

/** The fewest and most characters that the page tells of, and asks browsers to keep to. */
export interface OwnerRule extends AccountRule {
  readonly passwordCharactersMin: number;
  readonly passwordCharactersMax: number;
}

/** Lets a person become an owner of the instance. */
export function ownerPage(
  code: string,
  given: AccountFields,
  { rule, wrong = {} }: { readonly rule: OwnerRule; readonly wrong?: WrongOwner },
) {
  return (frame: Frame): Page => {
    const { owner, password } = frame.texts;
    const { passwordCharactersMin: min, passwordCharactersMax: max } = rule;
    const errors = { length: password.wrong(min, max), common: password.common };
    const field = { ...rule, label: password.label };
    return {
      title: owner.title,
      isProblem: Object.keys(wrong).length > 0,
      scripts: ["password.js"],
      content: html`<p>${owner.explanation}</p>
<form id="owner-form" action="${frame.base}owner" method="post">
${hidden({ code })}${accountFields(given, { rule, wrong }, frame)}${newPasswordField(
  { ...field, error: wrong.password && errors[wrong.password] },
  password,
)}
<button type="submit">${owner.submit}</button>
</form>`,
    };
  };
}
