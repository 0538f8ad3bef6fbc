import { type Content, type Html, html } from "../../../text/html.ts";
import { dayIn as dayOf, timeIn as timeOf } from "../../../text/language.ts";
import { type AccountPart, accountParts } from "../../account-parts.ts";
import { hidden, marked, owner } from "../field.ts";
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
    const { parts, navigation } = frame.texts.account;
    const links = accountParts.map((one) => {
      const current = one === part ? html` aria-current="page"` : undefined;
      return html`<li><a href="${pathTo(one, frame)}"${current}>${parts[one]}</a></li>\n`;
    });
    return {
      title: parts[part],
      isProblem,
      scripts,
      content: html`${owner(marked(displayName))}
<nav aria-label="${navigation}">
<ul class="parts">
${links}</ul>
</nav>
${content(frame)}`,
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
  readonly isQuiet?: boolean;
}

/** A form: what it asks for, and a button. */
export function partForm(
  { part, fields, submit, content, about, isQuiet = false }: PartForm,
  { secret }: Pick<OfPerson, "secret">,
  frame: Frame,
): Html {
  const described = about === undefined ? undefined : html` aria-describedby="${about}"`;
  const kind = isQuiet ? "quiet" : "main";
  return html`<form action="${pathTo(part, frame)}" method="post">
${hidden({ ...fields, secret })}${content}<button class="${kind}" type="submit"${described}>
${submit}</button>
</form>`;
}

/** Paragraphs of text. */
export function paragraphs(texts: readonly string[]): readonly Html[] {
  return texts.map((text) => html`<p>${text}</p>\n`);
}

/** Says that what was asked for is done, where it is. */
export function doneText(text: string, isDone: boolean): Html | undefined {
  return isDone ? html`<p role="status"><strong>${text}</strong></p>\n` : undefined;
}

/** Says what is wrong with a form as a whole. */
export function wrongText(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="error" role="alert">${text}</p>\n`;
}

/** A day in the language of a page, in UTC. */
export function dayIn({ language }: Pick<Frame, "language">, ms: number): string {
  return dayOf(language, ms);
}

/** A moment in the language of a page, in UTC. */
export function timeIn({ language }: Pick<Frame, "language">, ms: number): string {
  return `${timeOf(language, ms)} UTC`;
}
