import type { Factor } from "../../../domain/user/state/factor.ts";
import { type Html, html } from "../../../text/html.ts";
import { commaIn, isolateIn } from "../../../text/language.ts";
import type { Frame } from "../page.ts";
import { doneText, type OfPerson, type PartForm, partForm, partPage, row, timeIn } from "./part.ts";

/** A browser in which somebody is logged in. */
interface ShownSession {
  readonly sessionId: string;
  /** What was logged in to: an application, or the account page; undefined where it is no more. */
  readonly application: Applied | undefined;
  /** Unix milliseconds. */
  readonly begunMs: number;
  readonly factors: readonly Factor[];
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
  /** What was just done. */
  readonly done?: EndedAccess;
}

/** Another session is ended, or all others, or what an application may do. */
export type EndedAccess = "ended" | "endedOthers" | "withdrawn";

/** Says where a person is logged in, and lets it log out, here and elsewhere. */
export function sessionsPage({ ownId, sessions, consents, done, ...person }: Sessions) {
  const content = (frame: Frame) => {
    const texts = frame.texts.account.sessions;
    const form = (fields: PartForm["fields"], submit: string, about?: string) => {
      const named = about === undefined ? {} : { about };
      return partForm({ part: "sessions", fields, submit, kind: "small", ...named }, person, frame);
    };
    const rows = sessions.map((session, i) => {
      const { sessionId } = session;
      const end =
        sessionId === ownId
          ? form({ step: "here" }, texts.endHere)
          : form({ step: "one", session: sessionId }, texts.end, `session-${i}`);
      return sessionRow(session, { id: `session-${i}`, isOwn: sessionId === ownId, end }, frame);
    });
    const allowed = consents.map(({ clientId, application }, i) => {
      const name = html`<h3 id="consent-${i}"><bdi>${application ?? texts.gone}</bdi></h3>`;
      const end = { step: "withdraw", client: clientId };
      return row(name, [], form(end, texts.withdraw, `consent-${i}`));
    });
    const consented = html`<h2>${texts.consents}</h2>
<ul class="rows">
${allowed}</ul>`;
    const ended = done && doneText(texts.done[done], true);
    return html`${ended}<p>${texts.about}</p>
<ul class="rows">
${rows}</ul>
${sessions.length > 2 ? form({ step: "others" }, texts.endOthers) : undefined}
${allowed.length > 0 ? consented : undefined}`;
  };
  return partPage("sessions", person, content, ["time.js"]);
}

function sessionRow(
  { application, begunMs, factors, from, usedMs }: ShownSession,
  { id, isOwn, end }: { readonly id: string; readonly isOwn: boolean; readonly end: Html },
  frame: Frame,
): Html {
  const { texts } = frame;
  const { sessions } = texts.account;
  const name =
    application === undefined ? sessions.gone : (application.name ?? texts.account.title);
  const shown = factors.map((factor) => texts.login.factors[factor]).join(commaIn(frame.language));
  const used = usedMs === undefined ? undefined : html` ${sessions.used(timeIn(frame, usedMs))}`;
  const here = isOwn ? html` <strong class="badge">${sessions.here}</strong>` : undefined;
  return row(
    html`<h2 id="${id}"><bdi>${name}</bdi></h2>${here}`,
    [from && whereIn(from, frame), html`${sessions.since(timeIn(frame, begunMs), shown)}${used}`],
    end,
  );
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
