import { html } from "../../../text/html.ts";
import { commaIn } from "../../../text/language.ts";
import { lineField } from "../field.ts";
import type { Frame } from "../page.ts";
import { codeForms, doneText, type OfPerson, partForm, partPage, wrongText } from "./part.ts";

/** Why another number is not taken, or its code, or why none is sent. */
export type WrongOwnPhone = "invalid" | "same" | "code" | "tooSoon" | "tooMany";

/** The phone number of a person, as far as it has one. */
export interface ShownOwnPhone extends OfPerson {
  readonly phone: { readonly number: string; readonly isVerified: boolean } | undefined;
  /** What the person has typed. */
  readonly typed: string;
  readonly phoneCharactersMax: number;
  readonly wrong?: WrongOwnPhone;
  /** What was just done: the number is proven, or removed. */
  readonly done?: "saved" | "removed";
}

/** Lets a person choose another phone number, prove it by the code of an SMS, and remove it. */
export function ownPhonePage({ wrong, done: just, ...shown }: ShownOwnPhone) {
  return partPage("phone", { ...shown, isProblem: wrong !== undefined }, (frame) => {
    const { account, done } = frame.texts;
    const { phone: texts } = account;
    const { phone } = shown;
    const status = phone?.isVerified ? texts.verified : texts.unverified;
    const comma = commaIn(frame.language);
    const value = phone && html`<bdi dir="ltr">${phone.number}</bdi>${comma}${status}`;
    const toSend = wrong === "tooSoon" || wrong === "tooMany" ? texts[wrong] : undefined;
    const said = just && { saved: done.phone.title, removed: texts.removed }[just];
    const asked = () => html`${codeForms("phone", shown, wrong === "code", frame)}\n`;
    return html`${said && doneText(said, true)}${wrongText(toSend)}<dl>
<dt>${texts.current}</dt>
<dd>${value ?? texts.none}</dd>
</dl>
${phone?.isVerified === false ? asked() : undefined}${numberForm(
  shown,
  wrong,
  frame,
)}${phone && removeForm(shown, frame)}`;
  });
}

type Forms = Omit<ShownOwnPhone, "wrong" | "done">;

function numberForm(shown: Forms, wrong: WrongOwnPhone | undefined, frame: Frame) {
  const { phone: texts, sendCode } = frame.texts.account;
  const error = wrong === "invalid" || wrong === "same" ? texts[wrong] : undefined;
  const content = html`${lineField({
    ...{ name: "phone", label: texts.label, hint: texts.hint, value: shown.typed, error },
    ...{ autocomplete: "tel", direction: "ltr", charactersMax: shown.phoneCharactersMax },
  })}
`;
  const fields = { step: "set" };
  const form = { part: "phone", fields, content, submit: sendCode } as const;
  return html`<p>${texts.about}</p>
${partForm(form, shown, frame)}
`;
}

function removeForm(shown: Forms, frame: Frame) {
  const submit = frame.texts.account.phone.remove;
  return partForm(
    { part: "phone", fields: { step: "remove" }, submit, kind: "quiet" },
    shown,
    frame,
  );
}
