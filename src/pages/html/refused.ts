import { type Html, html } from "../../text/html.ts";
import { spelledOut } from "../../text/visible.ts";
import { homeLink, notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/**
 * The parts of a refused request that are shown, so that developers of the application see the
 * mistake.
 */
export const refusedLimits = {
  /** Characters of a URI or of a client id that an application has sent. */
  shownCharacters: 500,
} as const;

/** What an application has asked for, and why it cannot be done. */
interface RefusedRequest {
  readonly error: string;
  readonly description: string;
  readonly ofLogout?: boolean;
  /** The id of the request, under which operators find it in the log. */
  readonly requestId: string;
  readonly clientId?: string | undefined;
  /** Where it wants people to be led, if that is what is wrong: whatever text was sent. */
  readonly uri?: string | undefined;
}

/** Says that an application asks for what cannot be done, and why in the words of the protocol. */
export function refusedPage(request: RefusedRequest) {
  return (frame: Frame): Page => {
    const { login, requestId: label } = frame.texts;
    const { error, description, ofLogout = false, requestId, clientId, uri } = request;
    const { refused, refusedDetails: labels } = login;
    const advice = ofLogout
      ? labels.register("postLogoutRedirectUris", "UpdateOIDCAppConfig (updateMask)")
      : labels.register("redirectUris", "AddRedirectURI");
    const why = html`<code dir="ltr">${error}</code> <bdi lang="en" dir="ltr">${description}</bdi>`;
    const more = html`<p class="number">${why}</p>
${detail(labels.uri, uri)}${detail(labels.clientId, clientId)}${detail(label, requestId)}${
  uri === undefined ? undefined : html`<p>${advice}</p>\n`
}${homeLink(frame)}`;
    const title = ofLogout ? login.logout.refused : refused.title;
    return { ...notice({ ...refused, title }, more), isProblem: true };
  };
}

function detail(label: string, sent: string | undefined): Html | undefined {
  if (sent === undefined) return undefined;
  const spelled = spelledOut(sent, refusedLimits.shownCharacters);
  return html`<p class="number">${label} <code dir="ltr">${spelled}</code></p>\n`;
}
