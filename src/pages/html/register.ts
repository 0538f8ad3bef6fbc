import { type Html, html } from "../../text/html.ts";
import { commaIn, nameFieldsIn } from "../../text/language.ts";
import { codeForm, lineField, marked, nameKinds } from "./field.ts";
import { beginsHere, form, type LoginTarget, leadsTo, smallForm } from "./login.ts";
import { notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** Who somebody says to be who registers. */
export interface RegisterFields {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** What is wrong with it: an address of a domain that is not allowed, or too many mails. */
export type WrongRegister = {
  readonly [name in keyof RegisterFields]?: "invalid";
} & { readonly mail?: "domain" | "tooMany" };

/** What the page asks browsers to keep to, and which domains it tells of. */
export interface RegisterRule {
  readonly nameCharactersMax: number;
  readonly emailCharactersMax: number;
  readonly domains: readonly string[];
}

/** Asks somebody who registers for names and an e-mail address. */
export function registerPage(
  target: LoginTarget,
  given: RegisterFields,
  { rule, wrong = {} }: { readonly rule: RegisterRule; readonly wrong?: WrongRegister },
) {
  return (frame: Frame): Page => {
    const { login, owner } = frame.texts;
    const { register } = login;
    const { nameCharactersMax, emailCharactersMax, domains } = rule;
    const mail =
      wrong.mail && { domain: register.wrongDomain, tooMany: register.tooMany }[wrong.mail];
    const nameFields = nameFieldsIn(frame.language).map((name) =>
      lineField({
        ...{ name, label: owner[name], value: given[name] },
        ...{ autocomplete: nameKinds[name], charactersMax: nameCharactersMax },
        error: wrong[name] && owner.invalidName(nameCharactersMax),
      }),
    );
    const emailField = lineField({
      ...{ name: "email", label: owner.email, value: given.email, autocomplete: "email" },
      charactersMax: emailCharactersMax,
      hint: domains.length === 0 ? register.emailHint : register.domains(listOf(domains, frame)),
      error: wrong.email ? owner.invalidEmail : mail,
    });
    return {
      title: register.title,
      isProblem: Object.keys(wrong).length > 0,
      content: html`${beginsHere(target, frame)}
${form("register-ask", target, frame)}
${nameFields.map((field) => html`${field}\n`)}${emailField}
<button type="submit">${register.submit}</button>
</form>
${back(target, frame)}`,
    };
  };
}

function listOf(domains: readonly string[], { language }: Frame): Html {
  const comma = commaIn(language);
  return html`${domains.map((domain, i) => html`${i === 0 ? "" : comma}${marked(domain)}`)}`;
}

/** Asks for the code of the mail, whether or not one is in it. */
export function registerCodePage(
  target: LoginTarget,
  { email, isWrong }: { readonly email: string; readonly isWrong: boolean },
) {
  return (frame: Frame): Page => {
    const { texts, base } = frame;
    const { register } = texts.login;
    const { submit } = register;
    const { ask, inMail, help } = register.code;
    const action = `${base}login/${target.uid}`;
    return {
      title: register.code.title,
      isProblem: isWrong,
      content: html`${leadsTo(target, frame)}
<p>${ask(marked(email))}</p>
<p>${inMail}</p>
${codeForm({ ...{ texts, action, submit, help, isWrong }, hidden: { step: "register-code" } })}
${smallForm({ step: "register-again" }, register.code.again, target, frame)}
${smallForm({ step: "register" }, register.code.other, target, frame)}
${back(target, frame)}`,
    };
  };
}

/** Says to somebody whose address is proven that there is an account already, or to begin again. */
export function registerNoticePage(target: LoginTarget, what: "held" | "over") {
  return (frame: Frame): Page => {
    const { register } = frame.texts.login;
    const again = smallForm({ step: "register" }, register.beginAgain, target, frame);
    const more = html`${what === "over" ? again : undefined}${back(target, frame)}`;
    const { title, content } = notice(register[what], more);
    return { title, isProblem: true, content: html`${leadsTo(target, frame)}\n${content}` };
  };
}

/** The way back to the login. */
export function back(target: LoginTarget, frame: Frame): Html {
  return smallForm({ step: "register-leave" }, frame.texts.login.forgotten.back, target, frame);
}
