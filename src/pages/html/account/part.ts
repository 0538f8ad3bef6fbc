import { type Content, type Html, html } from "../../../text/html.ts";
import { dayIn as dayOf, locales, timeIn as timeOf } from "../../../text/language.ts";
import { type AccountPart, accountParts } from "../../account-parts.ts";
import { codeForm, hidden, marked, owner } from "../field.ts";
import type { Frame, Page, Script } from "../page.ts";

/** What every part is made with. */
export interface OfPerson {
  readonly displayName: string;
  /** What every form has: see `OwnSession`. */
  readonly secret: string;
  /** Whether something is wrong; left out, nothing is. */
  readonly isProblem?: boolean;
}

/** A part of the account page: the name of the person, links to the other parts, the content. */
export function partPage(
  part: AccountPart,
  { displayName, isProblem = false }: OfPerson,
  content: (frame: Frame) => Content,
  scripts: readonly Script[] = [],
): (frame: Frame) => Page {
  return (frame) => {
    const { title, parts, navigation } = frame.texts.account;
    const links = accountParts.map((one) => {
      const current = one === part ? html` aria-current="page"` : undefined;
      return html`<li><a href="${pathTo(one, frame)}"${current}>${parts[one]}</a></li>\n`;
    });
    const kind = part === accountParts[0] ? "parts is-first" : "parts";
    return {
      title: parts[part],
      of: title,
      isProblem,
      scripts,
      navigation: html`<nav class="${kind}" aria-label="${navigation}">
${owner(marked(displayName))}
<ul>
${links}</ul>
</nav>`,
      content: html`${content(frame)}`,
    };
  };
}

/** The way to a part from wherever a page stands. */
export function pathTo(part: AccountPart, { base }: Pick<Frame, "base">): string {
  return part === "overview" ? `${base}../account` : `${base}../account/${part}`;
}

/** A form of a part: what it does, and what is on its button. */
export interface PartForm {
  readonly part: AccountPart;
  /** Its step, and what else it carries along. */
  readonly fields: { readonly step: string } & { readonly [name: string]: string };
  readonly submit: string;
  /** What is asked for; left out, nothing. */
  readonly content?: Html;
  /** The id of what says what the button is about. */
  readonly about?: string;
  /** How its button looks; left out, as the first of the page. */
  readonly kind?: "main" | "quiet" | "small";
}

/** A form: what it asks for, and a button. */
export function partForm(
  { part, fields, submit, content, about, kind = "main" }: PartForm,
  { secret }: Pick<OfPerson, "secret">,
  frame: Frame,
): Html {
  const described = about === undefined ? undefined : html` aria-describedby="${about}"`;
  return html`<form action="${pathTo(part, frame)}" method="post">
${hidden({ ...fields, secret })}${content}<button class="${kind}" type="submit"${described}>
${submit}</button>
</form>`;
}

/** Asks for a code that was sent, and offers another one. */
export function codeForms(
  part: "email" | "phone",
  { secret }: Pick<OfPerson, "secret">,
  isWrong: boolean,
  frame: Frame,
): Html {
  const { texts } = frame;
  const { askCode, verify: submit, resend, wrongCodeHelp: help } = texts.account[part];
  const form = { texts, action: pathTo(part, frame), submit, help, isWrong };
  const again = { part, fields: { step: "resend" }, submit: resend, kind: "quiet" } as const;
  return html`<p>${askCode}</p>
${codeForm({ ...form, hidden: { step: "verify", secret } })}
${partForm(again, { secret }, frame)}`;
}

/** Paragraphs of text. */
export function paragraphs(texts: readonly string[]): readonly Html[] {
  return texts.map((text) => html`<p>${text}</p>\n`);
}

/** Says that what was asked for is done, where it is. */
export function doneText(text: string, isDone: boolean): Html | undefined {
  return isDone ? html`<p class="done" role="status">${text}</p>\n` : undefined;
}

/** Says what is wrong with a form as a whole. */
export function wrongText(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="error" role="alert">${text}</p>\n`;
}

/** A day in the language of a page, in UTC. */
export function dayIn({ language }: Pick<Frame, "language">, ms: number): string {
  return dayOf(language, ms);
}

/** A moment in the language of a page, in UTC until `time.js` tells it by the clock there. */
export function timeIn({ language }: Pick<Frame, "language">, ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" data-locale="${
    locales[language]
  }">${timeOf(language, ms)} UTC</time>`;
}

/** A row of a list: its name, what is said of it, and what can be done with it. */
export function row(name: Html, told: readonly (Content | undefined)[], action?: Html): Html {
  const lines = told.filter((text) => text !== undefined);
  return html`<li class="row">
<div>
${name}
${lines.map((text) => html`<p class="hint">${text}</p>\n`)}</div>
${action}</li>
`;
}
