import { type Html, html } from "../../text/html.ts";
import { nameFieldsIn } from "../../text/language.ts";
import { lineField, nameKinds } from "./field.ts";
import type { Frame } from "./page.ts";

/** What somebody says of itself who opens an account. */
export interface AccountFields {
  readonly userName: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** What is wrong with it: the name of somebody else, or an address as a name that is not theirs. */
export type WrongAccount = {
  readonly [name in keyof AccountFields]?: "invalid" | "taken" | "address";
};

/** The most characters that a page asks browsers to keep to. */
export interface AccountRule {
  readonly nameCharactersMax: number;
  readonly emailCharactersMax: number;
}

/** Asks for all of it; what is typed as an address has a hint. */
export function accountFields(
  given: AccountFields,
  { rule, wrong }: { readonly rule: AccountRule; readonly wrong: WrongAccount },
  { texts, language }: Frame,
): Html {
  const { owner, login } = texts;
  const line = (name: keyof AccountFields, autocomplete: string) => {
    const charactersMax = name === "email" ? rule.emailCharactersMax : rule.nameCharactersMax;
    const invalid = name === "email" ? owner.invalidEmail : owner.invalidName(charactersMax);
    const errors = { invalid, taken: owner.taken, address: login.register.way.address };
    const problem = wrong[name];
    return lineField({
      ...{ name, label: owner[name], value: given[name], autocomplete, charactersMax },
      ...(name === "email" ? { hint: owner.emailHint } : {}),
      error: problem && errors[problem],
    });
  };
  const names = nameFieldsIn(language).map((name) => html`${line(name, nameKinds[name])}\n`);
  return html`${line("userName", "username")}
${line("email", "email")}
${names}`;
}
