import { type Html, html } from "../../text/html.ts";
import type { LoginTexts, ShownFactor } from "../texts.ts";
import { hidden, marked, owner } from "./field.ts";
import { notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** A browser in which somebody is logged in. */
interface ShownSession {
  readonly sessionId: string;
  /** What was logged in to; undefined where it is no more. */
  readonly application: string | undefined;
  /** Unix milliseconds. */
  readonly begunMs: number;
  readonly factors: readonly ShownFactor[];
  /** From where; left out of a session that began before it was kept. */
  readonly from?: ShownFrom;
  /** When an application was logged in to with it last (Unix milliseconds). */
  readonly usedMs?: number;
}

/** A browser and where it is, as far as they are known. */
interface ShownFrom {
  readonly browser?: string | undefined;
  readonly system?: string | undefined;
  readonly network?: string | undefined;
}

/** An application that may act for somebody. */
interface ShownConsent {
  readonly clientId: string;
  readonly application: string | undefined;
}

/** Where a person is logged in, and who may act for it. */
interface Sessions {
  readonly displayName: string;
  /** What every form has: see `OwnSession`. */
  readonly secret: string;
  /** The session of the browser that asks. */
  readonly ownId: string;
  readonly sessions: readonly ShownSession[];
  readonly consents: readonly ShownConsent[];
}

/** Says where a person is logged in, and lets it log out, here and elsewhere. */
export function sessionsPage({ displayName, secret, ownId, sessions, consents }: Sessions) {
  return (frame: Frame): Page => {
    const texts = frame.texts.login.sessions;
    const form = (fields: { readonly [name: string]: string }, text: string, about?: string) =>
      html`<form action="${frame.base}sessions" method="post">
${hidden({ ...fields, secret })}<button class="quiet" type="submit"${
        about === undefined ? undefined : html` aria-describedby="${about}"`
      }>${text}</button>
</form>`;
    const rows = sessions.map((session, i) => {
      const { sessionId } = session;
      const end =
        sessionId === ownId
          ? form({ step: "here" }, texts.endHere)
          : form({ step: "one", session: sessionId }, texts.end, `session-${i}`);
      return sessionPart(session, { id: `session-${i}`, isOwn: sessionId === ownId, end }, frame);
    });
    const allowed = consents.map(({ clientId, application }, i) => {
      const name = html`<strong><bdi id="consent-${i}">${application ?? texts.gone}</bdi></strong>`;
      return html`<li>${name}
${form({ step: "withdraw", client: clientId }, texts.withdraw, `consent-${i}`)}</li>\n`;
    });
    const consented = html`<h2>${texts.consents}</h2>
<ul class="entries">
${allowed}</ul>`;
    return {
      title: texts.title,
      content: html`${owner(marked(displayName))}
<p>${texts.about}</p>
${rows}${sessions.length > 2 ? form({ step: "others" }, texts.endOthers) : undefined}
${allowed.length > 0 ? consented : undefined}`,
    };
  };
}

/** Says that nobody is logged in with the browser. */
export function noSessionPage({ texts }: Frame): Page {
  return notice(texts.login.sessions.none, undefined);
}

function sessionPart(
  { application, begunMs, factors, from, usedMs }: ShownSession,
  { id, isOwn, end }: { readonly id: string; readonly isOwn: boolean; readonly end: Html },
  { texts, language }: Frame,
): Html {
  const { sessions } = texts.login;
  const format = new Intl.DateTimeFormat(language, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: "UTC" },
  });
  const time = (ms: number) => `${format.format(ms)} UTC`;
  const text = factors.map((factor) => sessions.factors[factor]).join(", ");
  const used = usedMs === undefined ? "" : ` ${sessions.used(time(usedMs))}`;
  return html`<article>
<h2 id="${id}"><bdi>${application ?? sessions.gone}</bdi></h2>
${isOwn ? html`<p><strong>${sessions.here}</strong></p>\n` : undefined}${
  from && html`<p>${whereIn(from, sessions)}</p>\n`
}<p>
${sessions.since(time(begunMs), text)}${used}</p>
${end}
</article>
`;
}

/** Which browser it is, and in which network. */
function whereIn({ browser, system, network }: ShownFrom, texts: LoginTexts["sessions"]): string {
  const program = browser && system ? texts.program(browser, system) : (browser ?? system);
  const text = program ?? texts.unknownProgram;
  // Of this machine itself there is no network to tell.
  const isTold = network !== undefined && !/^(?:127\.|::\/)/.test(network);
  return isTold ? `${text}, ${texts.network(network)}` : text;
}
