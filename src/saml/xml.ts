import { setImmediate as turn } from "node:timers/promises";
import { TextDecoder } from "node:util";
import { SaxesParser, type SaxesTagNS } from "saxes";

/** Bounds on documents. Metadata of one service is a few kilobytes in some fifty elements. */
export const xmlLimits = {
  bytesMax: 1024 * 1024,
  depthMax: 64,
  elementsMax: 10_000,
  attributesMax: 64,
  attributeCharactersMax: 8_192,
  nameCharactersMax: 256,
  /** Characters that are read before it is the turn of others: of many, some take 0.1 s to read. */
  pieceCharacters: 32 * 1024,
} as const;

/**
 * An element with its `name` as written, its `local` name, the `uri` of its namespace, and its
 * attributes by their names as written: what has no prefix is of no namespace.
 */
export type XmlElement = SaxesTagNS;

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

/**
 * Reads well-formed XML 1.0 with namespaces in UTF-8, and less than that: no DOCTYPE, so that there
 * are no entities but the five predefined ones, and no processing instructions. Stops at the first
 * violation with a sentence that says where and quotes nothing but names. Resolves to undefined
 * when the whole document was visited. Others have their turn while a large one is read.
 */
export async function readXml(xml: Uint8Array, visitor: XmlVisitor): Promise<string | undefined> {
  if (xml.length > xmlLimits.bytesMax) return `The XML is larger than ${xmlLimits.bytesMax} bytes.`;
  if (isUtf16(xml)) return "The XML is encoded in UTF-16: it must be UTF-8.";
  const text = decode(xml);
  if (text === undefined) return "The XML is not valid UTF-8.";
  const parser = createParser(visitor);
  try {
    for (let at = 0; at < text.length; at += xmlLimits.pieceCharacters) {
      if (at > 0) await turn();
      parser.write(text.slice(at, at + xmlLimits.pieceCharacters));
    }
    parser.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
    return `${error.message} (line ${parser.line}, column ${parser.column}).`;
  }
}

/** By its mark, or by a first `<` in two bytes. */
function isUtf16([first, second]: Uint8Array): boolean {
  const start = `${first},${second}`;
  return ["255,254", "254,255", "60,0", "0,60"].includes(start);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // One byte order mark is left to the parser, which takes no second one.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function createParser(visitor: XmlVisitor): SaxesParser<{ xmlns: true }> {
  // Without positions in the messages of the parser: they end ours.
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on("error", ({ message }) => {
    throw new XmlRefused(`The XML is not well-formed: ${sentencePart(message)}`);
  });
  parser.on("xmldecl", ({ version, encoding = "UTF-8" }) => {
    if (version !== "1.0") throw new XmlRefused("The XML declaration must have the version 1.0");
    if (encoding.toUpperCase() !== "UTF-8") {
      throw new XmlRefused("The XML declares an encoding other than UTF-8");
    }
  });
  parser.on("doctype", () => {
    throw new XmlRefused("The XML must not have a DOCTYPE");
  });
  parser.on("processinginstruction", () => {
    throw new XmlRefused("The XML must not have processing instructions");
  });
  visitElements(parser, visitor);
  return parser;
}

function visitElements(parser: SaxesParser<{ xmlns: true }>, visitor: XmlVisitor): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  parser.on("opentagstart", ({ name }) => {
    attributes = 0;
    depth += 1;
    elements += 1;
    if (elements > xmlLimits.elementsMax) {
      throw new XmlRefused(`The XML has more than ${xmlLimits.elementsMax} elements`);
    }
    if (depth > xmlLimits.depthMax) {
      throw new XmlRefused(`The XML nests deeper than ${xmlLimits.depthMax} elements`);
    }
    checkName(name);
  });
  parser.on("attribute", ({ name, value }) => {
    attributes += 1;
    if (attributes > xmlLimits.attributesMax) {
      throw new XmlRefused(
        `The XML has an element with more than ${xmlLimits.attributesMax} attributes`,
      );
    }
    checkName(name);
    if (value.length > xmlLimits.attributeCharactersMax) {
      throw new XmlRefused(
        `The XML has the attribute ${shortName(name)} with more than ` +
          `${xmlLimits.attributeCharactersMax} characters`,
      );
    }
  });
  parser.on("opentag", (element) => visitor.open(element));
  parser.on("closetag", () => {
    depth -= 1;
    visitor.close();
  });
}

function checkName(name: string): void {
  if (name.length <= xmlLimits.nameCharactersMax) return;
  throw new XmlRefused(`The XML has a name of more than ${xmlLimits.nameCharactersMax} characters`);
}

/** What the parser says, without the names and values that come after a colon. */
function sentencePart(message: string): string {
  const [part = ""] = message.split(": ");
  return part.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
}

/** A name, cut to what fits in a sentence. */
export function shortName(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 80)}…`;
}
