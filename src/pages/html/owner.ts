import { html } from "../../text/html.ts";
import { nameFieldsIn } from "../../text/language.ts";
import type { OwnerTexts } from "../texts.ts";
import { hidden, lineField, nameKinds } from "./field.ts";
import type { WrongPassword } from "./initialization.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";

/** What somebody says of itself who becomes an owner, besides the password. */
export interface OwnerFields {
  readonly userName: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** What is wrong with it. */
export type WrongOwner = {
  readonly [name in keyof OwnerFields]?: "invalid" | "taken";
} & { readonly password?: WrongPassword };

/** The fewest and most characters that the page tells of, and asks browsers to keep to. */
export interface OwnerRule {
  readonly passwordCharactersMin: number;
  readonly passwordCharactersMax: number;
  readonly nameCharactersMax: number;
  readonly emailCharactersMax: number;
}

/** Lets a person become an owner of the instance. */
export function ownerPage(
  code: string,
  given: OwnerFields,
  { rule, wrong = {} }: { readonly rule: OwnerRule; readonly wrong?: WrongOwner },
) {
  return ({ texts: { owner, password }, base, language }: Frame): Page => {
    const { passwordCharactersMin: min, passwordCharactersMax: max } = rule;
    const { nameCharactersMax: most, emailCharactersMax } = rule;
    const errors = { length: password.wrong(min, max), common: password.common };
    const line = (name: keyof OwnerFields, autocomplete: string, charactersMax: number) =>
      lineField({
        ...{ name, label: owner[name], value: given[name], autocomplete, charactersMax },
        ...(name === "email" ? { hint: owner.emailHint } : {}),
        error: errorIn(owner, { name, charactersMax }, wrong[name]),
      });
    const names = nameFieldsIn(language).map(
      (name) => html`${line(name, nameKinds[name], most)}\n`,
    );
    const field = { ...rule, label: password.label };
    return {
      title: owner.title,
      isProblem: Object.keys(wrong).length > 0,
      scripts: ["password.js"],
      content: html`<p>${owner.explanation}</p>
<form id="owner-form" action="${base}owner" method="post">
${hidden({ code })}${line("userName", "username", most)}
${line("email", "email", emailCharactersMax)}
${names}${newPasswordField({ ...field, error: wrong.password && errors[wrong.password] }, password)}
<button type="submit">${owner.submit}</button>
</form>`,
    };
  };
}

function errorIn(
  owner: OwnerTexts,
  { name, charactersMax }: { readonly name: keyof OwnerFields; readonly charactersMax: number },
  wrong: "invalid" | "taken" | undefined,
): string | undefined {
  if (wrong === undefined) return undefined;
  if (wrong === "taken") return owner.taken;
  return name === "email" ? owner.invalidEmail : owner.invalidName(charactersMax);
}
