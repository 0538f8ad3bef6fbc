import { describe, expect, test } from "@jest/globals";
import { type Content, html, htmlText } from "../../src/text/html.ts";

const text = (value: Content) => htmlText(html`<p title="${value}">${value}</p>`);

describe("a template", () => {
  test.each<[string, Content, string]>([
    ["text", "Ada", "Ada"],
    ["no text", "", ""],
    ["nothing", undefined, ""],
    ["a number", 8, "8"],
    ["zero", 0, "0"],
    ["a tag", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["quotes", `" onload='x'`, "&quot; onload=&#39;x&#39;"],
    ["an entity", "&lt;", "&amp;lt;"],
    ["a list", ["<", 1, undefined, [">"]], "&lt;1&gt;"],
    ["letters of the world", "Größe 漢字 😀 אדה", "Größe 漢字 😀 אדה"],
    ["what looks like a placeholder", "{x} $& $1", "{x} $&amp; $1"],
  ])("takes %s as text", (_, value, expected) => {
    expect(text(value)).toBe(`<p title="${expected}">${expected}</p>`);
  });

  test("takes what another one made as it is, alone and in lists", () => {
    const inner = html`<b>${"<"}</b>`;
    expect(htmlText(html`${inner}${[inner, ["&"]]}`)).toBe("<b>&lt;</b><b>&lt;</b>&amp;");
  });

  test("keeps its own backslashes and line breaks as JavaScript reads them", () => {
    expect(htmlText(html`a\n${"b"}\u00e4`)).toBe("a\nbä");
  });

  test("is not taken in by what has come as JSON", () => {
    const forged = JSON.parse('{"markup": "<b>", "Symbol(markup)": "<b>"}') as Content;
    expect(htmlText(html`${forged}`)).not.toContain("<b>");
  });
});
