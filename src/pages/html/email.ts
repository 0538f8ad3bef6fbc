import { html } from "../../text/html.ts";
import { codePage, hidden } from "./field.ts";
import type { Frame, Page } from "./page.ts";

/** What the link of the mail says. */
interface EmailLink {
  readonly userId: string;
  readonly code: string;
}

/**
 * Asks the person who has opened the link to send its code: a program that only opens links, to see
 * whether they are safe, verifies nothing.
 */
export function emailPage({ userId, code }: EmailLink) {
  return ({ texts: { email }, base }: Frame): Page => ({
    title: email.title,
    content: html`<p>${email.ask}</p>
<form id="email-form" action="${base}email/verify" method="post">
${hidden({ userID: userId, code })}<button type="submit">${email.submit}</button>
</form>`,
  });
}

/** Asks for the code of the mail, where the link came without the one of links; see `codeForm`. */
export function emailCodePage(
  { userId, code }: EmailLink,
  { isWrong }: { readonly isWrong: boolean },
) {
  return ({ texts, base }: Frame): Page => {
    const { title, askCode, submit, wrongCodeHelp: help } = texts.email;
    const form = { texts, action: `${base}email/verify`, submit, help, isWrong, code };
    return codePage(title, askCode, { ...form, hidden: { userID: userId } });
  };
}
