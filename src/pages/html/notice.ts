import { type Content, type Html, html } from "../../text/html.ts";
import type { Notice, OverLink, Problem } from "../notice.ts";
import type { After, Texts } from "../texts.ts";
import type { Frame, Page } from "./page.ts";

/** What is shown when something was done. */
export interface Done {
  readonly after: After;
  /** The user whose phone number still waits to be verified. */
  readonly phoneOf?: string;
}

export function donePage({ after, phoneOf }: Done) {
  return (frame: Frame): Page => {
    const { done, account } = frame.texts;
    if (phoneOf === undefined) {
      const way = html`<a class="button" href="${frame.base}../account">${account.open}</a>`;
      return notice(done[after], html`<p>${way}</p>`);
    }
    const verify = `${frame.base}phone/verify?${new URLSearchParams({ userID: phoneOf })}`;
    const next = html`<p>${done.phoneLeft}</p>
<p><a class="button" href="${verify}">${done.verifyPhone}</a></p>`;
    return notice(done[after], next);
  };
}

/** Says what is wrong and what to do next; operators find the id of the request in the log. */
export function problemPage(problem: Problem, requestId: string) {
  return (frame: Frame): Page => {
    const { texts } = frame;
    const line = html`<p class="number">${texts.requestId} <code dir="ltr">${requestId}</code></p>`;
    const more = html`${problem === "fault" ? line : undefined}${homeLink(frame)}`;
    const { problems, overLink } = texts;
    const said = isOverLink(problem, overLink)
      ? { title: overLink.title, paragraphs: overLink.reasons[problem] }
      : problems[problem];
    return { ...notice(said, more), isProblem: true };
  };
}

function isOverLink(problem: Problem, { reasons }: Texts["overLink"]): problem is OverLink {
  return problem in reasons;
}

/** The way on for those who have come where there is none. */
export function homeLink({ texts: { home }, base }: Frame): Html {
  return html`<p><a href="${base}../">${home.link}</a></p>`;
}

export function notice({ title, paragraphs }: Notice, more: Content): Page {
  const content = html`${paragraphs.map((text) => html`<p>${text}</p>\n`)}${more}`;
  return { title, content };
}
