import { type Html, html, htmlText } from "../text/html.ts";
import { directionOf, type Language } from "../text/language.ts";

/** A mail in plain text, and the one line of it that is a link. */
export interface PlainMail {
  readonly language: Language;
  readonly subject: string;
  readonly text: string;
  readonly link: string;
  /** What the button says that the link becomes. */
  readonly label: string;
}

/**
 * The same words as HTML, for mail programs that show that instead. The paragraph that is the link
 * becomes a button. Mail programs know no style sheets, and some keep nothing but the content of
 * the body: language and direction stand there, too.
 */
export function mailHtml({ language, subject, text, link, label }: PlainMail): string {
  const paragraphs = text.trimEnd().split("\n\n");
  const content = paragraphs.map((words) => (words === link ? button(link, label) : plain(words)));
  const written = html`lang="${language}" dir="${directionOf(language)}"`;
  return htmlText(html`<!doctype html>
<html ${written}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin: 0; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif">
<div ${written} style="max-width: 32rem; margin: 0 auto; overflow-wrap: anywhere">
${content}</div>
</body>
</html>
`);
}

function plain(words: string): Html {
  return html`<p style="margin: 0 0 1rem">${words}</p>\n`;
}

function button(link: string, label: string): Html {
  return html`<p style="margin: 0 0 1rem">
<a href="${link}" style="display: inline-block; padding: 0.75rem 1.25rem; border-radius: 0.5rem;
 background: #1f5fbf; color: #ffffff; font-weight: 600; text-decoration: none">${label}</a>
</p>\n`;
}
