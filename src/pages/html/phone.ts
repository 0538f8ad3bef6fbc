import { html } from "../../text/html.ts";
import { codeForm } from "./field.ts";
import type { Frame, Page } from "./page.ts";

/** Asks for the code that was sent to a phone; after a wrong one again. */
export function phonePage(userId: string, { isWrong }: { readonly isWrong: boolean }) {
  return ({ texts, base }: Frame): Page => {
    const { title, askCode, submit, wrongCodeHelp: help } = texts.phone;
    const form = { texts, action: `${base}phone/verify`, submit, help, isAlone: true, isWrong };
    return {
      title,
      isProblem: isWrong,
      content: html`<p>${askCode}</p>
${codeForm({ ...form, hidden: { userID: userId } })}`,
    };
  };
}
