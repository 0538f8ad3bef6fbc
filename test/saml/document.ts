import { readMetadata } from "../../src/saml/metadata.ts";

export const md = 'xmlns="urn:oasis:names:tc:SAML:2.0:metadata"';
export const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const location = "https://sp.example.com/acs";
export const acs = `<AssertionConsumerService Binding="${post}" Location="${location}"/>`;
export const provider = `<SPSSODescriptor>${acs}</SPSSODescriptor>`;

/** A document like the smallest valid one, with parts that a test replaces. */
export function entity({
  attributes = 'entityID="sp"',
  content = provider,
  before = "",
  after = "",
}) {
  return `${before}<EntityDescriptor ${md} ${attributes}>${content}</EntityDescriptor>${after}`;
}

export function service(attributes: string): string {
  const element = `<AssertionConsumerService ${attributes}/>`;
  return entity({ content: `<SPSSODescriptor>${element}</SPSSODescriptor>` });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The refusal of a text or of bytes; fails where the document was taken. */
export async function problemOf(document: string | Uint8Array): Promise<string> {
  const reading = await readMetadata(typeof document === "string" ? bytes(document) : document);
  if (reading.kind === "refused") return reading.problem;
  throw new TypeError(`not refused: ${reading.entityId}`);
}

/** Attributes that differ in the number behind their name. */
export function numbered(count: number, name: string): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}="u"`).join(" ");
}
