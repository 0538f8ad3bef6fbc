import { describe, expect, test } from "@jest/globals";
import { readMetadata } from "../../src/saml/metadata.ts";
import { xmlLimits } from "../../src/saml/xml.ts";
import { few, inFull } from "../harness/in-full.ts";
import { bytes, entity, md, numbered, problemOf, provider } from "./document.ts";

/** Documents that grow when they are read, and all the others. */

describe("CVE-2026-26278, CVE-2026-33036: what is no XML, or more than is read", () => {
  const utf16 = (mark: string) => new Uint8Array(Buffer.from(mark + entity({}), "utf16le"));
  const noEntity = "The XML is not well-formed: undefined entity";
  const noCharacter = "The XML is not well-formed: malformed character entity";
  test.each<[string, string | Uint8Array, string]>([
    [
      "a DOCTYPE",
      entity({ before: "<!DOCTYPE a>" }),
      "must not have a DOCTYPE (line 1, column 12).",
    ],
    [
      "a DOCTYPE with entities",
      '<!DOCTYPE a [\n<!ENTITY x "y">\n]>\n<a/>',
      "must not have a DOCTYPE (line 3, column 2).",
    ],
    ["a DOCTYPE in lower case", entity({ before: "<!doctype a>" }), "incorrect syntax"],
    ["an unfinished DOCTYPE", "<!DOCTYPE a", "must contain a root element"],
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
    ["a declaration alone", '<!ENTITY x "y"><a/>', "incorrect syntax"],
    ["a short declaration", "<!A><a></a>", "incorrect syntax"],
    ["an entity", entity({ content: "&nbsp;" }), noEntity],
    ["an entity in an attribute", entity({ attributes: 'entityID="&secret;"' }), noEntity],
    ["a known one in upper case", entity({ content: "&AMP;" }), noEntity],
    ["a method of objects", entity({ content: "&constructor;" }), noEntity],
    ["__proto__", entity({ attributes: 'entityID="&__proto__;"' }), "not well-formed"],
    ["NUL by number", entity({ content: "&#0;" }), noCharacter],
    ["half a surrogate", entity({ content: "&#xD800;" }), noCharacter],
    ["no code point", entity({ content: "&#x110000;" }), noCharacter],
    ["an unfinished one", entity({ content: "&amp" }), "not well-formed"],
    ["a style sheet", entity({ before: '<?xml-stylesheet href="a"?>' }), "processing instructions"],
    ["an instruction within", entity({ content: "<?php secret ?>" }), "processing instructions"],
    ["a late declaration", entity({ before: ' <?xml version="1.0"?>' }), "be at the start"],
    ["XML 1.1", entity({ before: '<?xml version="1.1"?>' }), "must have the version 1.0"],
    ["no version", entity({ before: "<?xml?>" }), "XML declaration must contain a version"],
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
    ["NUL", entity({ content: "\0" }), "disallowed character"],
    ["NUL in an attribute", entity({ attributes: 'entityID="a\0b"' }), "disallowed character"],
    ["NUL at the start", `\0${entity({})}`, "encoded in UTF-16"],
    ["a control character", entity({ content: "\u{1b}" }), "disallowed character"],
    ["U+FFFE", entity({ content: "\u{fffe}" }), "disallowed character"],
    ["text", "secret", "not well-formed"],
    ["JSON", '{"secret": "<"}', "not well-formed"],
    ["text behind", entity({ after: "secret" }), "text data outside of root node"],
    ["CDATA behind", entity({ after: "<![CDATA[]]>" }), "text data outside of root node"],
    ["a second root", entity({ after: "<a/>" }), "only one root"],
    ["nothing but the start", "<EntityDescriptor", "must contain a root element"],
    ["a missing end", entity({}).slice(0, -1), "not well-formed"],
    ["an unfinished comment", entity({ after: "<!-- " }), "unexpected end"],
    ["-- in a comment", entity({ after: "<!-- -- -->" }), "malformed comment"],
    ["crossed elements", entity({ content: "<a><b></a></b>" }), "unexpected close tag"],
    [
      "an attribute twice",
      entity({ attributes: 'entityID="a" entityID="b"' }),
      "duplicate attribute",
    ],
    [
      "an attribute twice by its namespace",
      entity({ attributes: 'xmlns:a="u" xmlns:b="u" a:c="" b:c="" entityID="sp"' }),
      "duplicate attribute",
    ],
    ["an attribute without quotes", entity({ attributes: "entityID=sp" }), "unquoted attribute"],
    ["an attribute without value", entity({ attributes: "entityID" }), "attribute without value"],
    ["no space between", entity({ attributes: 'a=""entityID="sp"' }), "no whitespace between"],
    ["an undeclared prefix", entity({ content: "<a:b/>" }), "unbound namespace prefix"],
    ["a prefix of objects", "<constructor:EntityDescriptor/>", "unbound namespace prefix"],
    ["__proto__ as a prefix", "<__proto__:EntityDescriptor/>", "unbound namespace prefix"],
    [
      "such a prefix of an attribute",
      entity({ attributes: 'toString:entityID="a"' }),
      "unbound namespace prefix",
    ],
    ["two colons", `<a:EntityDescriptor:b xmlns:a="u"/>`, "malformed name"],
    ["a colon first", `<:EntityDescriptor ${md}/>`, "malformed name"],
    ["a colon last", `<EntityDescriptor: ${md}/>`, "malformed name"],
  ])("%s", async (_, document, problem) => {
    const said = await problemOf(document);
    expect(said).toContain(problem);
    expect(said).not.toContain("secret");
  });
});

function swapped(_: number, index: number, array: Uint8Array): number {
  return array[index ^ 1] ?? 0;
}

describe("CVE-2026-26278, CVE-2026-33036: limits", () => {
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
  ])("the longest %s, and one character more", async (_, longest, problem) => {
    const longer = longest.includes("=")
      ? longest.replace("a".repeat(9), "a".repeat(10))
      : `${longest}a`;
    const read = (id: string) => readMetadata(bytes(entity({ attributes: `entityID="${id}"` })));
    expect((await read(longest)).kind).toBe("metadata");
    const refused = { kind: "refused", problem: expect.stringContaining(problem) };
    expect(await read(longer)).toEqual(refused);
  });

  few().each([
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
  ])("as many %s as may be, and one more", async (_, document, max, problem) => {
    expect((await readMetadata(bytes(document(max)))).kind).toBe("metadata");
    expect(await problemOf(document(max + 1))).toContain(problem);
  });

  test("as many bytes as may be, and one more", async () => {
    const size = xmlLimits.bytesMax - bytes(entity({})).length;
    const document = entity({ after: " ".repeat(size) });
    expect((await readMetadata(bytes(document))).kind).toBe("metadata");
    expect(await problemOf(`${document} `)).toBe("The XML is larger than 1048576 bytes.");
  });

  test("while a large document is read it is the turn of others", async () => {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const pieces = 10;
    const document = entity({ after: " ".repeat(pieces * xmlLimits.pieceCharacters) });
    expect((await readMetadata(bytes(document))).kind).toBe("metadata");
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(pieces);
  });

  inFull("what stands on the border of two pieces is read as anywhere", async () => {
    const rest = entity({ attributes: 'entityID="&#x1F642;🙂"', content: `<!--a-->${provider}` });
    const units = xmlLimits.pieceCharacters - "<!---->".length;
    for (let at = 0; at <= rest.length; at += 1) {
      const document = `<!--${"x".repeat(units - at)}-->${rest}`;
      expect(await readMetadata(bytes(document))).toEqual({ kind: "metadata", entityId: "🙂🙂" });
    }
  });
});

describe("reading stops where the violation is", () => {
  const filler = " ".repeat(500_000);
  test.each([
    ["a DOCTYPE", "<!DOCTYPE a>", 12],
    ["a DOCTYPE after a comment", `<!--${"a".repeat(3_000)}--><!DOCTYPE a []>`, 3_025],
    ["an endless declaration", `<!ELEMENT ${"a".repeat(500_000)}`, 9],
    ["another root", "<html>", 6],
    ["10,000 levels", `<EntityDescriptor ${md} entityID="a">${"<a>".repeat(10_000)}`, 290],
    ["40,000 attributes", `<a ${numbered(40_000, "a")}>`, 520],
    ["100,000 elements", `${entity({}).slice(0, -19)}${"<a/>".repeat(100_000)}`, 41_000],
    ["NUL", "<a>\0", 6],
  ])("%s", async (_, start, columnMax) => {
    const said = await problemOf(start + filler);
    const [, column] = / \(line 1, column (\d+)\)\.$/.exec(said) ?? [];
    expect(Number(column)).toBeLessThanOrEqual(columnMax);
  });

  const lol = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
  few(3).each([
    ["a billion laughs", `<!DOCTYPE a [<!ENTITY l0 "lol">${lol.join("")}]><a>&l10;</a>`, "DOCTYPE"],
    [
      "a quadratic blow-up",
      `<!DOCTYPE a [<!ENTITY a "${"a".repeat(9_999)}">]><a>${"&a;".repeat(99)}</a>`,
      "DOCTYPE",
    ],
    ["an endless DOCTYPE", `<!DOCTYPE a [${"<!-- -->".repeat(60_000)}`, "root element"],
    ["an endless value", `<a a="${"a".repeat(500_000)}`, "unexpected end"],
    ["an endless name", `<${"a".repeat(500_000)}`, "root element"],
    ["an endless comment", `<!--${"-a".repeat(250_000)}`, "root element"],
    ["an endless instruction", `<?a ${"a".repeat(500_000)}`, "root element"],
    ["an endless entity", `<a a="&${"a".repeat(500_000)}`, "unexpected end"],
  ])("%s is refused at the latest where the document ends", async (_, document, problem) => {
    expect(await problemOf(document)).toContain(problem);
  });
});
