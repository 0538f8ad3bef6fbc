import { html } from "../../../text/html.ts";
import { dayIn, type OfPerson, paragraphs, partForm, partPage } from "./part.ts";

/** Whether a person may ask to be erased, or has. */
export interface ShownErasure extends OfPerson {
  /** When the person is to be erased (Unix milliseconds); undefined where nobody has asked. */
  readonly erasedMs: number | undefined;
  readonly holdsRoles: boolean;
}

/** Lets a person ask to be erased, and take that back. */
export function erasurePage({ erasedMs, holdsRoles, ...person }: ShownErasure) {
  return partPage("erasure", person, (frame) => {
    const texts = frame.texts.account.erasure;
    const form = (step: string, submit: string) =>
      partForm({ part: "erasure", fields: { step }, submit, isQuiet: true }, person, frame);
    const roles = holdsRoles ? html`<p class="error">${texts.holdsRoles}</p>\n` : undefined;
    if (erasedMs !== undefined) {
      return html`<p><strong>${texts.requested(dayIn(frame, erasedMs))}</strong></p>
${roles}<p>${texts.withdrawable}</p>
${form("withdraw", texts.withdraw)}`;
    }
    return html`${paragraphs(texts.about)}${roles ?? form("request", texts.submit)}`;
  });
}
