import { type Html, html } from "../../text/html.ts";
import type { Texts } from "../texts.ts";
import type { Page } from "./page.ts";

/** What is carried from page to page without being shown. */
export function hidden(fields: { readonly [name: string]: string }): readonly Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
}

/** The message about a field that `attributesOf` points at. */
export function errorOf(id: string, error: string | undefined): Html | undefined {
  if (error === undefined) return undefined;
  return html`<p class="error" id="${id}-error" role="alert">${error}</p>\n`;
}

/**
 * What a field says about itself: where its hint stands, and its error, which then comes first and
 * has the field focused, so that it is heard without a script too. Without one, a field has the
 * focus where the title of the page says all that has to be heard before.
 */
export function attributesOf(id: string, error: string | undefined, isFocused = false): Html {
  return error === undefined
    ? html`aria-describedby="${id}-hint"${isFocused ? html` autofocus` : undefined}`
    : html`aria-describedby="${id}-error ${id}-hint" aria-invalid="true" autofocus`;
}

/** What a field without a hint says of its error: see `attributesOf`. */
export function aboutError(id: string, error: string | undefined): Html | undefined {
  return error === undefined
    ? undefined
    : html` aria-describedby="${id}-error" aria-invalid="true" autofocus`;
}

/** Asks for a code that somebody types: what it is for, and what to do when it is refused. */
export interface CodeForm {
  readonly texts: Texts;
  readonly action: string;
  readonly hidden: { readonly [name: string]: string };
  readonly submit: string;
  readonly help: string;
  /** What is filled in. */
  readonly code?: string;
  readonly isWrong: boolean;
  /** Whether it is all that the page is about. */
  readonly isAlone?: boolean;
}

export function codeForm({ texts, action, submit, help, isWrong, ...form }: CodeForm) {
  const { code } = texts;
  const error = isWrong ? code.wrong : undefined;
  const value = form.code ? html` value="${form.code}"` : undefined;
  return html`<form id="code-form" action="${action}" method="post">
${hidden(form.hidden)}<label for="code">${code.label}</label>
<p class="hint" id="code-hint">${code.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required${value}
 dir="ltr" autocomplete="one-time-code" autocapitalize="characters" autocorrect="off"
 spellcheck="false" ${attributesOf("code", error, form.isAlone)}>
<button type="submit">${submit}</button>
</form>${isWrong ? html`\n<p class="help">${help}</p>` : undefined}`;
}

/** A page that asks for a code and for nothing else; after a wrong one it is a problem. */
export function codePage(title: string, ask: string, form: Omit<CodeForm, "isAlone">): Page {
  const content = html`<p>${ask}</p>\n${codeForm({ ...form, isAlone: true })}`;
  return { title, isProblem: form.isWrong, content };
}

/** A name that others chose: it stands apart, so that none reads as words of ours around it. */
export function marked(name: string): Html {
  return html`<strong><bdi>${name}</bdi></strong>`;
}

/** Whose account it is, or where a login leads. */
export function owner(names: Html): Html {
  return html`<p class="owner">${names}</p>`;
}

/** What browsers call the fields of a person's name. */
export const nameKinds = { firstName: "given-name", lastName: "family-name" } as const;

/** One line of text that somebody is asked for. */
export interface LineField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string | Html;
  readonly error: string | undefined;
  readonly autocomplete: string;
  readonly charactersMax: number;
  readonly isOptional?: boolean;
  /** Left out, that of what is typed. */
  readonly direction?: "ltr";
}

/** Asks for one line of text. */
export function lineField({ name, label, value, hint, error, ...field }: LineField): Html {
  const { autocomplete, charactersMax, isOptional = false, direction = "auto" } = field;
  const told = hint && html`<p class="hint" id="${name}-hint">${hint}</p>\n`;
  const about = hint === undefined ? aboutError(name, error) : html` ${attributesOf(name, error)}`;
  return html`<label for="${name}">${label}</label>
${told}${errorOf(name, error)}<input id="${name}" name="${name}" type="text"${
    isOptional ? undefined : html` required`
  }
 value="${value}" dir="${direction}" maxlength="${charactersMax}" autocomplete="${autocomplete}"
 autocapitalize="none" autocorrect="off" spellcheck="false"${about}>`;
}
