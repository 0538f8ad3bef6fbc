import { html } from "../../../text/html.ts";
import { commaIn } from "../../../text/language.ts";
import { lineField } from "../field.ts";
import type { Frame } from "../page.ts";
import { codeForms, doneText, type OfPerson, partForm, partPage, wrongText } from "./part.ts";

/** Why another address is not taken, or its code. */
export type WrongOwnEmail = "invalid" | "same" | "tooOften" | "code";

/** The address of a person, and another one that waits for its code. */
export interface ShownOwnEmail extends OfPerson {
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** The address that the person has asked for; undefined where none waits. */
  readonly requested: string | undefined;
  /** What the person has typed. */
  readonly typed: string;
  readonly emailCharactersMax: number;
  readonly wrong?: WrongOwnEmail;
  readonly isSaved?: boolean;
}

/** Lets a person ask for another e-mail address, and prove it. */
export function ownEmailPage({ wrong, isSaved = false, ...shown }: ShownOwnEmail) {
  return partPage("email", { ...shown, isProblem: wrong !== undefined }, (frame) => {
    const { account, done } = frame.texts;
    const { email: texts, tooOften } = account;
    const { email, isEmailVerified, requested } = shown;
    const rows = [
      [texts.current, email, isEmailVerified ? texts.verified : texts.unverified],
      ...(requested === undefined ? [] : [[texts.requested, requested, texts.unverified]]),
    ] as const;
    const comma = commaIn(frame.language);
    const list = rows.map(
      ([name, address, status]) =>
        html`<dt>${name}</dt>\n<dd><bdi>${address}</bdi>${comma}${status}</dd>\n`,
    );
    const full = wrongText(wrong === "tooOften" ? tooOften : undefined);
    return html`${doneText(done.email.title, isSaved)}${full}<dl>
${list}</dl>
${requested === undefined ? addressForm(shown, wrong, frame) : codeAsked(shown, wrong, frame)}`;
  });
}

type Forms = Omit<ShownOwnEmail, "wrong" | "isSaved">;

function addressForm(shown: Forms, wrong: WrongOwnEmail | undefined, frame: Frame) {
  const { email: texts, sendCode } = frame.texts.account;
  const errors: { readonly [problem in WrongOwnEmail]?: string } = {
    invalid: frame.texts.owner.invalidEmail,
    same: texts.same,
  };
  const content = html`${lineField({
    ...{ name: "email", label: texts.label, value: shown.typed, autocomplete: "email" },
    ...{ direction: "ltr" },
    ...{ charactersMax: shown.emailCharactersMax, error: wrong && errors[wrong] },
  })}
`;
  const form = { part: "email", fields: { step: "request" }, content, submit: sendCode };
  return html`<p>${texts.about}</p>
${partForm({ ...form, part: "email" }, shown, frame)}`;
}

function codeAsked(shown: Forms, wrong: WrongOwnEmail | undefined, frame: Frame) {
  const submit = frame.texts.account.email.withdraw;
  const form = { part: "email", fields: { step: "withdraw" }, submit, kind: "quiet" } as const;
  return html`${codeForms("email", shown, wrong === "code", frame)}
${partForm(form, shown, frame)}`;
}
