import { html } from "../../../text/html.ts";
import { notice } from "../notice.ts";
import type { Frame, Page } from "../page.ts";
import { dayIn, type OfPerson, partPage, pathTo } from "./part.ts";

/** What the first part says of a person. */
export interface Overview extends OfPerson {
  readonly userName: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly organization: string;
  /** When the person is to be erased, who has asked for it (Unix milliseconds). */
  readonly erasedMs: number | undefined;
}

/** Says who somebody is here, as far as it is kept. */
export function overviewPage(shown: Overview) {
  return partPage("overview", shown, (frame) => {
    const { account, owner } = frame.texts;
    const { overview } = account;
    const { userName, displayName, email, isEmailVerified, organization, erasedMs } = shown;
    const rows = [
      [overview.name, displayName],
      [owner.userName, userName],
      [owner.email, email],
      [overview.organization, organization],
    ] as const;
    return html`${erasedMs === undefined ? undefined : erasing(erasedMs, frame)}<dl>
${rows.map(([name, value]) => html`<dt>${name}</dt>\n<dd><bdi>${value}</bdi></dd>\n`)}</dl>
${isEmailVerified ? undefined : unverified(frame)}`;
  });
}

function unverified(frame: Frame) {
  const { overview, parts } = frame.texts.account;
  const link = html`<a href="${pathTo("email", frame)}">${parts.email}</a>`;
  return html`<p>${overview.unverified} ${link}</p>`;
}

function erasing(ms: number, frame: Frame) {
  const { overview, erasure } = frame.texts.account;
  return html`<p class="error" role="status">${overview.erasing(dayIn(frame, ms))}
<a href="${pathTo("erasure", frame)}">${erasure.withdraw}</a></p>
`;
}

/** Says that a login to the account page came to nothing, and leads to another. */
export function notLoggedInPage(frame: Frame): Page {
  const { notLoggedIn, logIn } = frame.texts.account;
  const link = html`<p><a class="button" href="${pathTo("overview", frame)}">${logIn}</a></p>`;
  return notice(notLoggedIn, link);
}
