import { codePage } from "./field.ts";
import type { Frame, Page } from "./page.ts";

/** Asks for the code that was sent to a phone; after a wrong one again. */
export function phonePage(userId: string, { isWrong }: { readonly isWrong: boolean }) {
  return ({ texts, base }: Frame): Page => {
    const { title, askCode, submit, wrongCodeHelp: help } = texts.phone;
    const form = { texts, action: `${base}phone/verify`, submit, help, isWrong };
    return codePage(title, askCode, { ...form, hidden: { userID: userId } });
  };
}
