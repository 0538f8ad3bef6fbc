import { html } from "../../../text/html.ts";
import { type OfPerson, paragraphs, partForm, partPage } from "./part.ts";

/** Lets a person download all that is kept of it. */
export function dataPage(person: OfPerson) {
  return partPage("data", person, (frame) => {
    const { about, submit } = frame.texts.account.data;
    const form = { part: "data", fields: { step: "download" }, submit } as const;
    return html`${paragraphs(about)}${partForm(form, person, frame)}`;
  });
}
