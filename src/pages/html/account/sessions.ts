import { type Html, html } from "../../../text/html.ts";
import { commaIn, isolateIn } from "../../../text/language.ts";
import type { ShownFactor } from "../../account-texts.ts";
import type { Frame } from "../page.ts";
import { type OfPerson, type PartForm, partForm, partPage, timeIn } from "./part.ts";

/** A browser in which somebody is logged in. */
interface ShownSession {
  readonly sessionId: string;
  /** What was logged in to: an application, or the account page; undefined where it is no more. */
  readonly application: Applied | undefined;
  /** Unix milliseconds. */
  readonly begunMs: number;
  readonly factors: readonly ShownFactor[];
  /** From where; left out of a session that began before it was kept. */
  readonly from?: ShownFrom;
  /** When an application was logged in to with it last (Unix milliseconds). */
  readonly usedMs?: number;
}

/** An application by its name; the account page has none. */
interface Applied {
  readonly name: string | undefined;
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
interface Sessions extends OfPerson {
  /** The session of the browser that asks. */
  readonly ownId: string;
  readonly sessions: readonly ShownSession[];
  readonly consents: readonly ShownConsent[];
}

/** Says where a person is logged in, and lets it log out, here and elsewhere. */
export function sessionsPage({ ownId, sessions, consents, ...person }: Sessions) {
  return partPage("sessions", person, (frame) => {
    const texts = frame.texts.account.sessions;
    const form = (fields: PartForm["fields"], submit: string, about?: string) => {
      const named = about === undefined ? {} : { about };
      const made = { part: "sessions", fields, submit, isQuiet: true, ...named } as const;
      return partForm(made, person, frame);
    };
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
    return html`<p>${texts.about}</p>
${rows}${sessions.length > 2 ? form({ step: "others" }, texts.endOthers) : undefined}
${allowed.length > 0 ? consented : undefined}`;
  });
}

function sessionPart(
  { application, begunMs, factors, from, usedMs }: ShownSession,
  { id, isOwn, end }: { readonly id: string; readonly isOwn: boolean; readonly end: Html },
  frame: Frame,
): Html {
  const { texts } = frame;
  const { sessions } = texts.account;
  const name =
    application === undefined ? sessions.gone : (application.name ?? texts.account.title);
  const text = factors.map((factor) => sessions.factors[factor]).join(commaIn(frame.language));
  const used = usedMs === undefined ? "" : ` ${sessions.used(timeIn(frame, usedMs))}`;
  return html`<article>
<h2 id="${id}"><bdi>${name}</bdi></h2>
${isOwn ? html`<p><strong>${sessions.here}</strong></p>\n` : undefined}${
  from && html`<p>${whereIn(from, frame)}</p>\n`
}<p>
${sessions.since(timeIn(frame, begunMs), text)}${used}</p>
${end}
</article>
`;
}

/** Which browser it is, and in which network. */
function whereIn({ browser, system, network }: ShownFrom, frame: Frame): string {
  const { sessions: texts } = frame.texts.account;
  const program = browser && system ? texts.program(browser, system) : (browser ?? system);
  const text = program ?? texts.unknownProgram;
  return `${text}${networkIn(network, frame)}`;
}

/** The network, behind a comma, as far as it is told: of this machine itself there is none. */
export function networkIn(network: string | undefined, { texts, language }: Frame): string {
  if (network === undefined || /^(?:127\.|::\/)/.test(network)) return "";
  const { sessions } = texts.account;
  return `${commaIn(language)}${sessions.network(isolateIn(language, network))}`;
}
