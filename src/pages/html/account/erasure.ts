import { html } from "../../../text/html.ts";
import {
  dayIn,
  doneText,
  type OfPerson,
  paragraphs,
  partForm,
  partPage,
  wrongText,
} from "./part.ts";

/** Whether a person may ask to be erased, or has. */
export interface ShownErasure extends OfPerson {
  /** When the person is to be erased (Unix milliseconds); undefined where nobody has asked. */
  readonly erasedMs: number | undefined;
  readonly holdsRoles: boolean;
  /** Whether the person asked too often today. */
  readonly isTooOften?: boolean;
  /** Whether the person has just taken it back. */
  readonly isWithdrawn?: boolean;
}

/** Lets a person ask to be erased, and take that back. */
export function erasurePage({ erasedMs, holdsRoles, isTooOften = false, ...shown }: ShownErasure) {
  const { isWithdrawn = false, ...person } = shown;
  return partPage("erasure", { ...person, isProblem: isTooOften }, (frame) => {
    const { erasure: texts, tooOften } = frame.texts.account;
    const form = (step: string, submit: string) =>
      partForm({ part: "erasure", fields: { step }, submit, kind: "quiet" }, person, frame);
    const roles = holdsRoles ? html`<p class="error">${texts.holdsRoles}</p>\n` : undefined;
    if (erasedMs !== undefined) {
      return html`<p><strong>${texts.requested(dayIn(frame, erasedMs))}</strong></p>
${roles}<p>${texts.withdrawable}</p>
${form("withdraw", texts.withdraw)}`;
    }
    const full = wrongText(isTooOften ? tooOften : undefined);
    const kept = doneText(texts.withdrawn, isWithdrawn);
    return html`${kept}${full}${paragraphs(texts.about)}${roles ?? form("request", texts.submit)}`;
  });
}
