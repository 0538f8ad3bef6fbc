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
import { newPasswordField, type PasswordRule } from "./password-field.ts";

/** What is wrong with what somebody says of itself who becomes an owner, and with the password. */
export type WrongOwner = WrongAccount & { readonly password?: WrongPassword };

/** The fewest and most characters that the page tells of, and asks browsers to keep to. */
export type OwnerRule = AccountRule & PasswordRule;

/** Lets a person become an owner of the instance. */
export function ownerPage(
  code: string,
  given: AccountFields,
  { rule, wrong = {} }: { readonly rule: OwnerRule; readonly wrong?: WrongOwner },
) {
  return (frame: Frame): Page => {
    const { owner, password } = frame.texts;
    return {
      title: owner.title,
      isProblem: Object.keys(wrong).length > 0,
      scripts: ["password.js"],
      content: html`<p>${owner.explanation}</p>
<form id="owner-form" action="${frame.base}owner" method="post">
${hidden({ code })}${accountFields(given, { rule, wrong }, frame)}${newPasswordField(
  rule,
  password.label,
  wrong.password,
  frame.texts,
)}
<button type="submit">${owner.submit}</button>
</form>`,
    };
  };
}
