import { html } from "../../text/html.ts";
import { pathTo } from "./account/part.ts";
import type { Frame, Page } from "./page.ts";

/** What stands at the address of the service: people log in here, and see their account. */
export function homePage(frame: Frame): Page {
  const { home, account } = frame.texts;
  return {
    title: home.title,
    content: html`<p>${home.about}</p>
<p><a class="button" href="${pathTo("overview", frame)}">${account.logIn}</a></p>
<p class="help">${home.people}</p>`,
  };
}
