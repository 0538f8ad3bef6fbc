/** Known to this file alone, so nothing that came in from outside can pass for markup. */
const markup = Symbol("markup");

/** Text that is safe to be read as HTML. */
export interface Html {
  readonly [markup]: string;
}

/** A value of a template: markup stays as it is, `undefined` leaves nothing, all else is text. */
export type Content = Html | string | number | undefined | readonly Content[];

/**
 * HTML from a template: what is put into it is escaped, unless it was made here itself. Values
 * stand between tags or within quoted attributes; scripts may have none, and styles only colours.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  const text = template.reduce((so, part, index) => so + render(values[index - 1]) + part);
  return { [markup]: text };
}

/** The text of the markup, for the wire. */
export function htmlText(content: Html): string {
  return content[markup];
}

function render(content: Content): string {
  if (content === undefined) return "";
  if (typeof content === "string") return escapeMarkup(content);
  if (typeof content === "number") return String(content);
  return isList(content) ? content.map(render).join("") : content[markup];
}

function isList(content: Html | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}

function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
