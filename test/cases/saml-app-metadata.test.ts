import { runCases } from "../harness/cases.ts";
import { bytes, entity, md, numbered, provider, service } from "../saml/document.ts";
import { metadataRefused } from "./saml-apps.ts";

// CVE-2026-26278, CVE-2026-33036 and what else is no metadata: one row for each sentence that the
// reader has for it. What it finds where, test/saml shows; nothing of the text is ever quoted.

const root = "it must be EntityDescriptor of the namespace urn:oasis:names:tc:SAML:2.0:metadata";
const levels = (count: number) => "<a>".repeat(count) + "</a>".repeat(count);

runCases("metadata", [
  metadataRefused(
    "that is empty",
    "",
    "The XML is not well-formed: document must contain a root element (line 1, column 0).",
  ),
  metadataRefused(
    "that is no XML",
    "secret",
    "The XML is not well-formed: text data outside of root node (line 1, column 6).",
  ),
  metadataRefused(
    "that does not end",
    `<EntityDescriptor ${md} entityID="a">`,
    "The XML is not well-formed: unclosed tag (line 1, column 76).",
  ),
  metadataRefused(
    "that goes on after its end",
    entity({ after: "secret" }),
    "The XML is not well-formed: text data outside of root node (line 1, column 259).",
  ),
  metadataRefused(
    "with two roots",
    entity({}) + entity({}),
    "The XML is not well-formed: documents may contain only one root (line 1, column 271).",
  ),
  metadataRefused(
    "that is a page",
    "<html>secret</html>",
    `The root element is html; ${root} (line 1, column 6).`,
  ),
  metadataRefused(
    "of no namespace",
    '<EntityDescriptor entityID="a"/>',
    `The root element is EntityDescriptor of another namespace; ${root} (line 1, column 32).`,
  ),
  metadataRefused(
    "of many services",
    `<EntitiesDescriptor ${md}/>`,
    "The root element is EntitiesDescriptor, which describes many services: send the " +
      "EntityDescriptor of one (line 1, column 66).",
  ),
  metadataRefused(
    "without an entity ID",
    entity({ attributes: "" }),
    "The EntityDescriptor must have an entityID (line 1, column 64).",
  ),
  metadataRefused(
    "with an entity ID of 1,025 characters",
    entity({ attributes: `entityID="${"😀".repeat(1_025)}"` }),
    "The entityID must have at most 1024 characters (line 1, column 1100).",
  ),
  metadataRefused(
    "with white space in the entity ID",
    entity({ attributes: 'entityID="a b"' }),
    "The entityID must not have white space or invisible characters (line 1, column 78).",
  ),
  metadataRefused(
    "of an identity provider",
    entity({ content: "<IDPSSODescriptor/>" }),
    "The metadata must have an SPSSODescriptor in its EntityDescriptor (line 1, column 115).",
  ),
  metadataRefused(
    "without a place for assertions",
    entity({ content: "<SPSSODescriptor/>" }),
    "The SPSSODescriptor must have an AssertionConsumerService (line 1, column 95).",
  ),
  metadataRefused(
    "without a binding",
    service('Location="https://a/"'),
    "The AssertionConsumerService must have a Binding that is a URI (line 1, column 143).",
  ),
  metadataRefused(
    "that posts assertions to a script",
    service('Binding="b" Location="javascript:secret"'),
    "The AssertionConsumerService must have a Location that is an absolute http or https URL " +
      "(line 1, column 162).",
  ),
  metadataRefused(
    "with an index that is none",
    service('Binding="b" Location="https://a/" index="65536"'),
    "The AssertionConsumerService must have an index that is a whole number from 0 to 65535 " +
      "(line 1, column 169).",
  ),

  metadataRefused(
    "with a DOCTYPE",
    entity({ before: '<!DOCTYPE a SYSTEM "file:///etc/passwd">' }),
    "The XML must not have a DOCTYPE (line 1, column 40).",
  ),
  metadataRefused(
    "with an entity of its own",
    entity({ attributes: 'entityID="&secret;"' }),
    "The XML is not well-formed: undefined entity (line 1, column 81).",
  ),
  metadataRefused(
    "with a declaration",
    entity({ content: `<!ELEMENT a ANY>${provider}` }),
    "The XML is not well-formed: incorrect syntax (line 1, column 86).",
  ),
  metadataRefused(
    "with a processing instruction",
    entity({ before: '<?xml-stylesheet href="a"?>' }),
    "The XML must not have processing instructions (line 1, column 27).",
  ),
  metadataRefused(
    "of XML 1.1",
    entity({ before: '<?xml version="1.1"?>' }),
    "The XML declaration must have the version 1.0 (line 1, column 21).",
  ),
  metadataRefused(
    "that declares Latin-1",
    entity({ before: '<?xml version="1.0" encoding="ISO-8859-1"?>' }),
    "The XML declares an encoding other than UTF-8 (line 1, column 43).",
  ),
  metadataRefused(
    "in UTF-16",
    Buffer.from(`\ufeff${entity({})}`, "utf16le"),
    "The XML is encoded in UTF-16: it must be UTF-8.",
  ),
  metadataRefused(
    "that is no UTF-8",
    new Uint8Array([...bytes(entity({})), 0xff]),
    "The XML is not valid UTF-8.",
  ),
  metadataRefused(
    "with a control character",
    entity({ after: "\u0001" }),
    "The XML is not well-formed: disallowed character (line 1, column 254).",
  ),

  metadataRefused(
    "that nests too deeply",
    entity({ content: levels(64) }),
    "The XML nests deeper than 64 elements (line 1, column 269).",
  ),
  metadataRefused(
    "with too many elements",
    entity({ content: "<a/>".repeat(10_000) }),
    "The XML has more than 10000 elements (line 1, column 40076).",
  ),
  metadataRefused(
    "with too many attributes",
    entity({ attributes: numbered(65, "a") }),
    "The XML has an element with more than 64 attributes (line 1, column 564).",
  ),
  metadataRefused(
    "with an attribute twice",
    entity({ attributes: 'entityID="a" entityID="b"' }),
    "The XML is not well-formed: duplicate attribute (line 1, column 89).",
  ),
  metadataRefused(
    "with a prefix that nobody declared",
    entity({ content: "<a:b/>" }),
    "The XML is not well-formed: unbound namespace prefix (line 1, column 83).",
  ),
  metadataRefused(
    "with a name without end",
    entity({ content: `<${"a".repeat(257)}/>` }),
    "The XML has a name of more than 256 characters (line 1, column 336).",
  ),
  metadataRefused(
    "with a value without end",
    entity({ attributes: `a="${"a".repeat(8_193)}"` }),
    "The XML has the attribute a with more than 8192 characters (line 1, column 8260).",
  ),
]);
