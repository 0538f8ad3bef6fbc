import { describe, expect, test } from "@jest/globals";
import { readMetadata } from "../../src/saml/metadata.ts";
import { xmlLimits } from "../../src/saml/xml.ts";
import { bytes, entity, md, numbered, problemOf, provider } from "./document.ts";

/** CVE-2026-26278, CVE-2026-33036: documents that grow when they are read, and all the others. */

describe("what is no XML, or more than is read", () => {
  const utf16 = (mark: string) => new Uint8Array(Buffer.from(mark + entity({}), "utf16le"));
  const noEntity = "The XML is not well-formed: invalid character entity";
  test.each<[string, string | Uint8Array, string]>([
    [
      "a DOCTYPE",
      entity({ before: "<!DOCTYPE a>" }),
      "must not have a DOCTYPE (line 1, column 12).",
    ],
    [
      "a DOCTYPE with entities",
      '<!DOCTYPE a [\n<!ENTITY x "y">\n]>\n<a/>',
      "must not have a DOCTYPE (line 2, column 0).",
    ],
    ["a DOCTYPE in lower case", entity({ before: "<!doctype a>" }), "must not have a DOCTYPE"],
    ["an unfinished DOCTYPE", "<!DOCTYPE a", "must not have a DOCTYPE"],
    ["a DOCTYPE within", entity({ content: "<!DOCTYPE a>" }), "not well-formed"],
    ["a DOCTYPE behind", entity({ after: "<!DOCTYPE a>" }), "not well-formed"],
    [
      "an external entity",
      entity({ before: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>', content: "&x;" }),
      "must not have a DOCTYPE",
    ],
    [
      "a parameter entity",
      '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/"> %x;]><a/>',
      "must not have a DOCTYPE",
    ],
    [
      "an external subset",
      '<!DOCTYPE a SYSTEM "http://127.0.0.1/"><a/>',
      "must not have a DOCTYPE",
    ],
    ["a declaration alone", '<!ENTITY x "y"><a/>', "must not have declarations"],
    ["a short declaration", "<!A><a/>", "must not have declarations"],
    ["an entity", entity({ content: "&nbsp;" }), noEntity],
    ["an entity in an attribute", entity({ attributes: 'entityID="&secret;"' }), noEntity],
    ["a known one in upper case", entity({ content: "&AMP;" }), noEntity],
    ["a method of objects", entity({ content: "&constructor;" }), noEntity],
    ["__proto__", entity({ attributes: 'entityID="&__proto__;"' }), "not well-formed"],
    ["NUL by number", entity({ content: "&#0;" }), noEntity],
    ["half a surrogate", entity({ content: "&#xD800;" }), noEntity],
    ["no code point", entity({ content: "&#x110000;" }), noEntity],
    ["an unfinished one", entity({ content: "&amp" }), "not well-formed"],
    ["a style sheet", entity({ before: '<?xml-stylesheet href="a"?>' }), "processing instructions"],
    ["an instruction within", entity({ content: "<?php secret ?>" }), "processing instructions"],
    ["a late declaration", entity({ before: ' <?xml version="1.0"?>' }), "processing instructions"],
    ["XML 1.1", entity({ before: '<?xml version="1.1"?>' }), "not that of XML 1.0"],
    ["no version", entity({ before: "<?xml?>" }), "not that of XML 1.0"],
    [
      "Latin 1",
      entity({ before: '<?xml version="1.0" encoding="ISO-8859-1"?>' }),
      "declares an encoding other than UTF-8",
    ],
    ["UTF-16 with a mark", utf16("\u{feff}"), "encoded in UTF-16"],
    ["UTF-16 without one", utf16(""), "encoded in UTF-16"],
    ["UTF-16 the other way", utf16("\u{feff}").map(swapped), "encoded in UTF-16"],
    ["bytes that are no UTF-8", new Uint8Array([0x3c, 0x61, 0xff, 0x3e]), "not valid UTF-8"],
    ["an overlong <", new Uint8Array([0xc0, 0xbc]), "not valid UTF-8"],
    ["half a character at the end", bytes(entity({ after: "é" })).slice(0, -1), "not valid UTF-8"],
    ["NUL", entity({ content: "\0" }), "a character that XML does not allow"],
    ["NUL in an attribute", entity({ attributes: 'entityID="a\0b"' }), "XML does not allow"],
    ["NUL at the start", `\0${entity({})}`, "encoded in UTF-16"],
    ["a control character", entity({ content: "\u{1b}" }), "XML does not allow"],
    ["U+FFFE", entity({ content: "\u{fffe}" }), "XML does not allow"],
    ["text", "secret", "not well-formed"],
    ["JSON", '{"secret": "<"}', "not well-formed"],
    ["text behind", entity({ after: "secret" }), "text data outside of root node"],
    ["CDATA behind", entity({ after: "<![CDATA[]]>" }), "text outside of the root element"],
    ["a second root", entity({ after: "<a/>" }), "a second root element"],
    ["nothing but the start", "<EntityDescriptor", "no root element"],
    ["a missing end", entity({}).slice(0, -1), "not well-formed"],
    ["an unfinished comment", entity({ after: "<!-- " }), "unexpected end"],
    ["-- in a comment", entity({ after: "<!-- -- -->" }), "malformed comment"],
    ["crossed elements", entity({ content: "<a><b></a></b>" }), "unexpected close tag"],
    ["an attribute twice", entity({ attributes: 'entityID="a" entityID="b"' }), "entityID twice"],
    [
      "an attribute twice by its namespace",
      entity({ attributes: 'xmlns:a="u" xmlns:b="u" a:c="" b:c="" entityID="sp"' }),
      "the attribute b:c twice",
    ],
    ["an attribute without quotes", entity({ attributes: "entityID=sp" }), "unquoted attribute"],
    ["an attribute without value", entity({ attributes: "entityID" }), "attribute without value"],
    ["no space between", entity({ attributes: 'a=""entityID="sp"' }), "no whitespace between"],
    ["an undeclared prefix", entity({ content: "<a:b/>" }), "unbound namespace prefix"],
    ["a prefix of objects", "<constructor:EntityDescriptor/>", "an undeclared prefix"],
    ["__proto__ as a prefix", "<__proto__:EntityDescriptor/>", "an undeclared prefix"],
    [
      "such a prefix of an attribute",
      entity({ attributes: 'toString:entityID="a"' }),
      "toString:entityID with an undeclared prefix",
    ],
    ["two colons", `<a:EntityDescriptor:b xmlns:a="u"/>`, "which is no qualified name"],
    ["a colon first", `<:EntityDescriptor ${md}/>`, "which is no qualified name"],
    ["a colon last", `<EntityDescriptor: ${md}/>`, "which is no qualified name"],
  ])("%s", (_, document, problem) => {
    expect(problemOf(document)).toContain(problem);
    expect(problemOf(document)).not.toContain("secret");
  });
});

function swapped(_: number, index: number, array: Uint8Array): number {
  return array[index ^ 1] ?? 0;
}

describe("limits", () => {
  test.each([
    ["entity id", "🙂".repeat(1_024), "entityID must have at most 1024 characters"],
    [
      "attribute",
      `sp" a="${"a".repeat(xmlLimits.attributeCharactersMax)}`,
      "attribute a with more than 8192 characters",
    ],
    [
      "name",
      `sp" ${"a".repeat(xmlLimits.nameCharactersMax)}="`,
      "name of more than 256 characters",
    ],
  ])("the longest %s, and one character more", (_, longest, problem) => {
    const longer = longest.includes("=")
      ? longest.replace("a".repeat(9), "a".repeat(10))
      : `${longest}a`;
    const read = (id: string) => readMetadata(bytes(entity({ attributes: `entityID="${id}"` })));
    expect(read(longest).kind).toBe("metadata");
    expect(read(longer)).toEqual({ kind: "refused", problem: expect.stringContaining(problem) });
  });

  test.each([
    [
      "elements",
      // Around the children are three: the root, the descriptor and the service.
      (count: number) => entity({ content: provider + "<a/>".repeat(count - 3) }),
      xmlLimits.elementsMax,
      "more than 10000 elements",
    ],
    [
      "levels",
      (count: number) =>
        entity({ content: `${"<a>".repeat(count - 1)}${"</a>".repeat(count - 1)}${provider}` }),
      xmlLimits.depthMax,
      "nests deeper than 64 elements",
    ],
    [
      "attributes",
      (count: number) => entity({ content: `<a ${numbered(count, "a")}/>${provider}` }),
      xmlLimits.attributesMax,
      "more than 64 attributes",
    ],
    [
      "namespaces",
      // One of them is the default namespace of the root; those of closed elements do not count.
      (count: number) =>
        entity({ content: `<a ${numbered(count - 1, "xmlns:a")}/>`.repeat(2) + provider }),
      xmlLimits.namespacesMax,
      "more than 64 namespaces in one place",
    ],
  ])("as many %s as may be, and one more", (_, document, max, problem) => {
    expect(readMetadata(bytes(document(max))).kind).toBe("metadata");
    expect(problemOf(document(max + 1))).toContain(problem);
  });

  test("as many bytes as may be, and one more", () => {
    const size = xmlLimits.bytesMax - bytes(entity({})).length;
    const document = entity({ after: " ".repeat(size) });
    expect(readMetadata(bytes(document)).kind).toBe("metadata");
    expect(problemOf(`${document} `)).toBe("The XML is larger than 1048576 bytes.");
  });
});

describe("reading stops where the violation is", () => {
  const filler = " ".repeat(500_000);
  const lol = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
  test.each([
    ["a billion laughs", `<!DOCTYPE a [<!ENTITY l0 "lol">${lol.join("")}]>&l10;`, 1_024],
    ["a quadratic blow-up", `<!DOCTYPE a [<!ENTITY a "${"a".repeat(9_999)}">]>`, 1_024],
    ["a DOCTYPE after a comment", `<!--${"a".repeat(3_000)}--><!DOCTYPE a [`, 4_096],
    ["an endless declaration", `<!ELEMENT ${"a".repeat(500_000)}`, 1_024],
    ["another root", "<html>", 1_024],
    ["10,000 levels", `<EntityDescriptor ${md} entityID="a">${"<a>".repeat(10_000)}`, 1_024],
    ["40,000 attributes", `<a ${numbered(40_000, "a")}>`, 1_024],
    ["100,000 elements", `${entity({}).slice(0, -19)}${"<a/>".repeat(100_000)}`, 41_000],
    ["an endless value", `<a a="${"a".repeat(500_000)}`, 70_000],
    ["an endless name", `<${"a".repeat(500_000)}`, 70_000],
    ["an endless comment", `<!--${"-a".repeat(250_000)}`, 70_000],
    ["an endless instruction", `<?a ${"a".repeat(500_000)}`, 70_000],
    ["an endless entity", `<EntityDescriptor ${md} entityID="&${"a".repeat(500_000)}`, 70_000],
    ["NUL", "<a>\0", 1_024],
  ])("%s", (_, start, bytesMax) => {
    const document = new WatchedBytes(start + filler);
    expect(readMetadata(document).kind).toBe("refused");
    expect(document.end).toBeGreaterThan(0);
    expect(document.end).toBeLessThanOrEqual(bytesMax);
  });

  test("a document that is too large is not begun", () => {
    const document = new WatchedBytes(" ".repeat(xmlLimits.bytesMax + 1));
    expect(readMetadata(document).kind).toBe("refused");
    expect(document.end).toBe(0);
  });
});

/** Bytes that remember how far they were read. */
class WatchedBytes extends Uint8Array {
  end = 0;

  constructor(text: string) {
    super(bytes(text));
  }

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.end = Math.min(end ?? this.length, this.length);
    return new Uint8Array(this.buffer).subarray(begin, end);
  }
}
