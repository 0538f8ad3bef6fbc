import { TextDecoder } from "node:util";
import sax, { type QualifiedAttribute, type QualifiedTag, type SAXParser } from "sax";

/** Bounds on documents. Metadata of one service is a few kilobytes in some fifty elements. */
export const xmlLimits = {
  bytesMax: 1024 * 1024,
  depthMax: 64,
  elementsMax: 10_000,
  attributesMax: 64,
  attributeCharactersMax: 8_192,
  nameCharactersMax: 256,
  /** Namespace declarations that hold at one place of the document. */
  namespacesMax: 64,
} as const;

/**
 * Bytes that are read between two looks at how the parser fares, so what it buffers stays small.
 */
const chunkBytes = 1_024;

/** An attribute of a namespace is `{uri}local`, one of none just its name. */
export type Attributes = ReadonlyMap<string, string>;

export interface XmlElement {
  /** As written, with its prefix. */
  readonly name: string;
  readonly local: string;
  readonly namespace: string;
  readonly attributes: Attributes;
}

/**
 * A violation; its message is a sentence but for its end. Visitors throw it too, and reading stops.
 */
export class XmlRefused extends Error {
  override readonly name = "XmlRefused";
}

export interface XmlVisitor {
  /** Each start tag with its attributes. */
  open(element: XmlElement): void;
  /** Each end tag, or the end of an empty element. */
  close(): void;
}

/** What sax does not tell by events: what it is in the middle of. */
type Parser = SAXParser & {
  readonly doctype: string | boolean;
  readonly sgmlDecl: string;
  readonly entity: string;
  readonly attribList: readonly unknown[];
  readonly sawRoot: boolean;
};

/**
 * Reads well-formed XML 1.0 with namespaces in UTF-8, and less than that: no DOCTYPE, so that there
 * are no entities but the five predefined ones, and no processing instructions. Stops at the first
 * violation, not a chunk further, with a sentence that ends with line and column and quotes nothing
 * but names. Returns undefined when the whole document was visited.
 */
export function readXml(xml: Uint8Array, visitor: XmlVisitor): string | undefined {
  if (xml.length > xmlLimits.bytesMax) return `The XML is larger than ${xmlLimits.bytesMax} bytes.`;
  if (isUtf16(xml)) return "The XML is encoded in UTF-16: it must be UTF-8.";
  const parser = createStrictParser(visitor);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for (let start = 0; start < xml.length; start += chunkBytes) {
      feed(parser, decode(decoder, xml.subarray(start, start + chunkBytes)));
    }
    feed(parser, decode(decoder));
    if (!parser.sawRoot) throw new XmlRefused("The XML has no root element");
    parser.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
    return `${error.message} (line ${parser.line + 1}, column ${parser.column}).`;
  }
}

/** By its mark, or by a first `<` in two bytes. */
function isUtf16([first, second]: Uint8Array): boolean {
  const start = `${first},${second}`;
  return ["255,254", "254,255", "60,0", "0,60"].includes(start);
}

/** Without bytes: the end, where the last character must be complete. */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new XmlRefused("The XML is not valid UTF-8 after this place");
  }
}

// Everything but the production Char of XML 1.0.
const forbidden = /[^\t\n\r -\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * Hands text to sax in pieces that begin where a declaration begins, because sax says nothing about
 * a DOCTYPE before its end. What comes before a forbidden character is read first, as it is the
 * first violation that counts.
 */
function feed(parser: Parser, text: string): void {
  const bad = text.search(forbidden);
  for (const piece of (bad < 0 ? text : text.slice(0, bad)).split(/(?=<!)/)) {
    parser.write(piece);
    if (parser.doctype !== "") throw doctypeRefused();
    // What is neither a comment nor CDATA, whose openings are shorter.
    if (parser.sgmlDecl.length > "[CDATA[".length) throw declarationRefused();
    if (parser.attribList.length > xmlLimits.attributesMax) throw attributesRefused();
  }
  if (bad >= 0) throw new XmlRefused("The XML has a character that XML does not allow");
}

function createStrictParser(visitor: XmlVisitor): Parser {
  const parser = sax.parser(true, { xmlns: true }) as Parser;
  parser.ENTITIES = predefinedEntities(() => parser.entity);
  parser.onerror = ({ message }) => {
    if (message.startsWith("Max buffer length")) {
      throw new XmlRefused("The XML has a comment, name or value that is too long");
    }
    throw new XmlRefused(`The XML is not well-formed: ${sentencePart(message)}`);
  };
  parser.ondoctype = () => {
    throw doctypeRefused();
  };
  parser.onsgmldeclaration = () => {
    throw declarationRefused();
  };
  parser.onprocessinginstruction = ({ name, body }) => {
    if (name !== "xml" || parser.startTagPosition !== 1) {
      throw new XmlRefused("The XML must not have processing instructions");
    }
    checkDeclaration(body);
  };
  visitElements(parser, visitor);
  return parser;
}

function visitElements(parser: Parser, visitor: XmlVisitor): void {
  let depth = 0;
  let elements = 0;
  let namespaces = 0;
  let attributes = new Map<string, string>();
  parser.onopentagstart = ({ name }) => {
    if (depth === 0 && elements > 0) throw new XmlRefused("The XML has a second root element");
    elements += 1;
    if (elements > xmlLimits.elementsMax) {
      throw new XmlRefused(`The XML has more than ${xmlLimits.elementsMax} elements`);
    }
    if (depth >= xmlLimits.depthMax) {
      throw new XmlRefused(`The XML nests deeper than ${xmlLimits.depthMax} elements`);
    }
    checkName(name);
    attributes = new Map();
  };
  parser.onopennamespace = () => {
    namespaces += 1;
    if (namespaces > xmlLimits.namespacesMax) {
      throw new XmlRefused(
        `The XML has more than ${xmlLimits.namespacesMax} namespaces in one place`,
      );
    }
  };
  parser.onclosenamespace = () => {
    namespaces -= 1;
  };
  parser.onattribute = (attribute) => addAttribute(attributes, attribute as QualifiedAttribute);
  parser.onopentag = (tag) => {
    const { name, local, uri } = tag as QualifiedTag;
    const namespace = checkNamespace(uri, name);
    visitor.open({ name, local, namespace, attributes });
    depth += 1;
  };
  parser.onclosetag = () => {
    depth -= 1;
    visitor.close();
  };
  parser.onopencdata = () => {
    if (depth === 0) throw new XmlRefused("The XML has text outside of the root element");
  };
}

function addAttribute(attributes: Map<string, string>, attribute: QualifiedAttribute): void {
  const { name, local, uri, value } = attribute;
  checkName(name);
  const namespace = checkNamespace(uri, name);
  // sax has a namespace for `xmlns:…`, and none for attributes without a prefix.
  const key = namespace === "" ? name : `{${namespace}}${local}`;
  if (attributes.has(key)) {
    throw new XmlRefused(`The XML has the attribute ${shortName(name)} twice in one element`);
  }
  if (attributes.size >= xmlLimits.attributesMax) throw attributesRefused();
  if (value.length > xmlLimits.attributeCharactersMax) {
    throw new XmlRefused(
      `The XML has the attribute ${shortName(name)} with more than ` +
        `${xmlLimits.attributeCharactersMax} characters`,
    );
  }
  attributes.set(key, value);
}

/** sax takes `a:b:c` for the b of a, and `:b` for a b without prefix. */
function checkName(name: string): void {
  if (name.length > xmlLimits.nameCharactersMax) {
    throw new XmlRefused(
      `The XML has a name of more than ${xmlLimits.nameCharactersMax} characters`,
    );
  }
  if (!/^[^:]+(?::[^:]+)?$/.test(name)) {
    throw new XmlRefused(`The XML has the name ${shortName(name)}, which is no qualified name`);
  }
}

/** sax looks prefixes up in plain objects, so `constructor` and `__proto__` lead to no text. */
function checkNamespace(uri: unknown, name: string): string {
  if (typeof uri === "string") return uri;
  throw new XmlRefused(`The XML has the name ${shortName(name)} with an undeclared prefix`);
}

const quoted = (value: string) => `\\s*=\\s*(?:"${value}"|'${value}')`;
const declaration = new RegExp(
  `^version${quoted("1\\.0")}(?:\\s+encoding${quoted("[A-Za-z][\\w.-]*")})?` +
    `(?:\\s+standalone${quoted("(?:yes|no)")})?\\s*$`,
);

/** The inside of `<?xml …?>`. */
function checkDeclaration(body: string): void {
  if (!declaration.test(body)) throw new XmlRefused("The XML declaration is not that of XML 1.0");
  const [, encoding = "UTF-8"] = /encoding\s*=\s*["']([^"']*)/.exec(body) ?? [];
  if (encoding.toUpperCase() !== "UTF-8") {
    throw new XmlRefused("The XML declares an encoding other than UTF-8");
  }
}

/**
 * The five entities of XML as they are written in the document: sax would know those of HTML too,
 * and take `&AMP;` for `&amp;`, because it looks for a name in lower case when it finds none.
 */
function predefinedEntities(written: () => string): { [name: string]: string } {
  const entities = new Map([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
  ]);
  const get = (_: object, name: string | symbol) =>
    name === written() ? entities.get(name) : undefined;
  return new Proxy({}, { get });
}

/** The first line of what sax says, without the names and values that come after a colon. */
function sentencePart(message: string): string {
  const [part = ""] = message.split(/[\n:]/);
  return part.charAt(0).toLowerCase() + part.slice(1).replace(/\.$/, "");
}

/** A name, cut to what fits in a sentence. */
export function shortName(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 80)}…`;
}

function doctypeRefused(): XmlRefused {
  return new XmlRefused("The XML must not have a DOCTYPE");
}

function declarationRefused(): XmlRefused {
  return new XmlRefused("The XML must not have declarations");
}

function attributesRefused(): XmlRefused {
  return new XmlRefused(
    `The XML has an element with more than ${xmlLimits.attributesMax} attributes`,
  );
}
