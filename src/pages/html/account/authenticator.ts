import { type Html, html } from "../../../text/html.ts";
import { attributesOf, errorOf, hidden } from "../field.ts";
import type { Frame } from "../page.ts";
import { qrSVG } from "../qr.ts";
import { doneText, type OfPerson, type PartForm, partForm, partPage, pathTo } from "./part.ts";

/** Whether a person has an authenticator app. */
export interface ShownAuthenticator extends OfPerson {
  readonly hasOne: boolean;
  /** The recovery codes that are not used. */
  readonly codesLeft: number;
  /** What went wrong: the secret has expired, or the limit of today is reached. */
  readonly problem?: "over" | "tooMany";
  /** Whether the app was just removed. */
  readonly isRemoved?: boolean;
}

const part = "authenticator";

/** Lets a person set an authenticator app up, and take it away. */
export function authenticatorPage({ hasOne, codesLeft, problem, ...shown }: ShownAuthenticator) {
  const { isRemoved = false, ...person } = shown;
  return partPage(part, { ...person, isProblem: problem !== undefined }, (frame) => {
    const texts = frame.texts.account.authenticator;
    const form = (step: string, submit: string, kind: PartForm["kind"] = "quiet") =>
      partForm({ part, fields: { step }, submit, kind }, person, frame);
    const told = problem && html`<p class="error" role="alert">${texts[problem]}</p>\n`;
    const removed = doneText(texts.removed, isRemoved && !hasOne);
    if (!hasOne)
      return html`${removed}${told}<p>${texts.about}</p>\n${form("begin", texts.begin, "main")}`;
    return html`${told}<p><strong>${texts.hasOne}</strong></p>
<p>${texts.codesLeft(codesLeft)}</p>
${form("codes", texts.newCodes)}
<p>${texts.ends}</p>
${form("begin", texts.another)}
${form("remove", texts.remove)}`;
  });
}

/** A secret that waits for its first code: see `NewOTP`. */
export interface Setup extends OfPerson {
  readonly shared: string;
  readonly uri: string;
}

/** Shows what an app is set up with, and asks for its first code. */
export function setupPage({ shared, uri, ...person }: Setup) {
  return partPage(part, person, (frame) => {
    const texts = frame.texts.account.authenticator;
    return html`<p>${texts.scan}</p>
${qrSVG(uri, texts.qr)}
<p>${texts.byHand} <code dir="ltr">${shared}</code></p>
${codeForm(person, frame, undefined)}`;
  });
}

/** Asks for the first code once more, after a wrong one. */
export function confirmPage(person: OfPerson) {
  return partPage(part, { ...person, isProblem: true }, (frame) => {
    const { wrong, restart } = frame.texts.account.authenticator;
    const again = { part, fields: { step: "begin" }, submit: restart, kind: "quiet" } as const;
    return html`${codeForm(person, frame, wrong)}
${partForm(again, person, frame)}`;
  });
}

function codeForm({ secret }: OfPerson, frame: Frame, error: string | undefined): Html {
  const { authenticator } = frame.texts.account;
  const { otp } = frame.texts.login;
  return html`<form action="${pathTo(part, frame)}" method="post">
${hidden({ step: "confirm", secret })}<label for="code">${otp.label}</label>
<p class="hint" id="code-hint">${otp.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required dir="ltr"
 inputmode="numeric" autocomplete="one-time-code" maxlength="16" ${attributesOf("code", error)}>
<button type="submit">${authenticator.confirm}</button>
</form>`;
}

/** Shows recovery codes, which nobody can read again. */
export function recoveryCodesPage({
  codes,
  ...person
}: OfPerson & { readonly codes: readonly string[] }) {
  return partPage(part, person, (frame) => {
    const texts = frame.texts.account.authenticator;
    return html`<p>${texts.keep}</p>
<ul class="codes">
${codes.map((code) => html`<li><code dir="ltr">${code}</code></li>\n`)}</ul>
<p><a class="button" href="${pathTo(part, frame)}">${texts.kept}</a></p>`;
  });
}
