import { type Html, html } from "../../../text/html.ts";
import { hidden } from "../field.ts";
import { otpField } from "../login.ts";
import type { Frame } from "../page.ts";
import { qrSVG } from "../qr.ts";
import { doneText, type OfPerson, type PartForm, partForm, partPage, pathTo } from "./part.ts";

/** Whether a person has an authenticator app. */
export interface ShownAuthenticator extends OfPerson {
  readonly hasOne: boolean;
  /** The recovery codes that are not used. */
  readonly codesLeft: number;
  /** Whether the person may set one up, and whether it may go without another. */
  readonly may: { readonly begin: boolean; readonly remove: boolean };
  /** What went wrong: the secret has expired, or the limit of today is reached. */
  readonly problem?: "over" | "tooMany";
  /** Whether the app was just removed. */
  readonly isRemoved?: boolean;
}

const part = "authenticator";

/** Lets a person set an authenticator app up, and take it away. */
export function authenticatorPage({
  hasOne,
  may,
  codesLeft,
  problem,
  ...shown
}: ShownAuthenticator) {
  const { isRemoved = false, ...person } = shown;
  return partPage(part, { ...person, isProblem: problem !== undefined }, (frame) => {
    const texts = frame.texts.account.authenticator;
    const form = (step: string, submit: string, kind: PartForm["kind"] = "quiet") =>
      partForm({ part, fields: { step }, submit, kind }, person, frame);
    const told = problem && html`<p class="error" role="alert">${texts[problem]}</p>\n`;
    const removed = doneText(texts.removed, isRemoved && !hasOne);
    if (!hasOne && !may.begin) return html`${removed}${told}<p>${texts.notAllowed}</p>`;
    if (!hasOne)
      return html`${removed}${told}<p>${texts.about}</p>\n${form("begin", texts.begin, "main")}`;
    return html`${told}<p><strong>${texts.hasOne}</strong></p>
<p>${texts.codesLeft(codesLeft)}</p>
${form("codes", texts.newCodes)}
<p>${texts.ends}</p>
${may.begin ? form("begin", texts.another) : undefined}
${may.remove ? form("remove", texts.remove) : html`<p>${texts.forced}</p>`}`;
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
    return html`${secretToScan({ shared, uri }, frame)}
${codeForm(person, frame, undefined)}`;
  });
}

/** What an app is set up with: the secret as a QR code, and to be typed. */
export function secretToScan({ shared, uri }: Omit<Setup, keyof OfPerson>, { texts }: Frame): Html {
  const { scan, qr, byHand } = texts.account.authenticator;
  return html`<p>${scan}</p>
${qrSVG(uri, qr)}
<p>${byHand} <code dir="ltr">${shared}</code></p>`;
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
  return html`<form action="${pathTo(part, frame)}" method="post">
${hidden({ step: "confirm", secret })}${otpField(frame, error)}
<button type="submit">${authenticator.confirm}</button>
</form>`;
}

/** Recovery codes, and what they are for. */
export function codesToKeep(codes: readonly string[], { texts }: Frame): Html {
  return html`<p>${texts.account.authenticator.keep}</p>
<ul class="codes">
${codes.map((code) => html`<li><code dir="ltr">${code}</code></li>\n`)}</ul>`;
}

/** Shows recovery codes, which nobody can read again. */
export function recoveryCodesPage({
  codes,
  ...person
}: OfPerson & { readonly codes: readonly string[] }) {
  return partPage(part, person, (frame) => {
    const texts = frame.texts.account.authenticator;
    return html`${codesToKeep(codes, frame)}
<p><a class="button" href="${pathTo(part, frame)}">${texts.kept}</a></p>`;
  });
}
