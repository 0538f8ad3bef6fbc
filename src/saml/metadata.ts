import { isHttpUrl } from "../text/http-url.ts";
import { hasUnseen } from "../text/visible.ts";
import { readXml, shortName, type XmlElement, XmlRefused } from "./xml.ts";

/** What is kept of the metadata of a SAML service provider; the document itself is kept, too. */
export type MetadataReading =
  | { readonly kind: "metadata"; readonly entityId: string }
  /** The problem is a sentence for people, with line and column, which quotes only names. */
  | { readonly kind: "refused"; readonly problem: string };

/** Characters of an entity id (SAML 2.0 core, 8.3.6), and of locations and bindings. */
const entityIdCharactersMax = 1_024;
const uriCharactersMax = 2_048;

const metadataNamespace = "urn:oasis:names:tc:SAML:2.0:metadata";
const rootName = `EntityDescriptor of the namespace ${metadataNamespace}`;

/**
 * Reads the metadata of one service provider: an EntityDescriptor with an entityID and
 * SPSSODescriptors, each with AssertionConsumerServices (SAML 2.0 metadata, 2.3.2 and 2.4.4).
 * Signatures and validity dates are not checked: the caller vouches for the document.
 */
export async function readMetadata(xml: Uint8Array): Promise<MetadataReading> {
  /** The path of each open element, of local names; those of other namespaces have none there. */
  const path: string[] = [];
  let entityId = "";
  let providers = 0;
  /** Of the last provider. */
  let services = 0;
  const problem = await readXml(xml, {
    open: (element) => {
      const name = element.uri === metadataNamespace ? element.local : "";
      const parent = path.at(-1);
      const elementPath = parent === undefined ? name : `${parent}/${name}`;
      path.push(elementPath);
      if (path.length === 1) {
        checkRoot(element);
        entityId = entityIdOf(element);
      } else if (elementPath === "EntityDescriptor/SPSSODescriptor") {
        providers += 1;
        services = 0;
      } else if (elementPath === "EntityDescriptor/SPSSODescriptor/AssertionConsumerService") {
        services += 1;
        checkService(element);
      }
    },
    close: () => {
      const elementPath = path.pop();
      if (elementPath === "EntityDescriptor" && providers === 0) {
        throw new XmlRefused("The metadata must have an SPSSODescriptor in its EntityDescriptor");
      }
      if (elementPath === "EntityDescriptor/SPSSODescriptor" && services === 0) {
        throw new XmlRefused("The SPSSODescriptor must have an AssertionConsumerService");
      }
    },
  });
  return problem === undefined ? { kind: "metadata", entityId } : { kind: "refused", problem };
}

function checkRoot({ name, local, uri }: XmlElement): void {
  const ours = uri === metadataNamespace;
  if (ours && local === "EntityDescriptor") return;
  if (ours && local === "EntitiesDescriptor") {
    throw new XmlRefused(
      "The root element is EntitiesDescriptor, which describes many services: send the " +
        "EntityDescriptor of one",
    );
  }
  const elsewhere = local === "EntityDescriptor" ? " of another namespace" : "";
  throw new XmlRefused(
    `The root element is ${shortName(name)}${elsewhere}; it must be ${rootName}`,
  );
}

function entityIdOf(element: XmlElement): string {
  const entityId = attributeOf(element, "entityID") ?? "";
  if (entityId === "") throw new XmlRefused("The EntityDescriptor must have an entityID");
  if ([...entityId].length > entityIdCharactersMax) {
    throw new XmlRefused(`The entityID must have at most ${entityIdCharactersMax} characters`);
  }
  if (hasUnseen(entityId)) {
    throw new XmlRefused("The entityID must not have white space or invisible characters");
  }
  return entityId;
}

function checkService(element: XmlElement): void {
  const binding = attributeOf(element, "Binding") ?? "";
  if (binding === "" || binding.length > uriCharactersMax || hasUnseen(binding)) {
    throw new XmlRefused("The AssertionConsumerService must have a Binding that is a URI");
  }
  if (!isEndpoint(attributeOf(element, "Location") ?? "")) {
    throw new XmlRefused(
      "The AssertionConsumerService must have a Location that is an absolute http or https URL",
    );
  }
  // The schema wants an index; documents written by hand often have none.
  const index = attributeOf(element, "index") ?? "0";
  if (!/^\d{1,5}$/.test(index) || Number(index) > 65_535) {
    throw new XmlRefused(
      "The AssertionConsumerService must have an index that is a whole number from 0 to 65535",
    );
  }
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes[name]?.value;
}

/** Only these two: assertions must not be posted to what runs scripts or opens applications. */
function isEndpoint(text: string): boolean {
  return text.length <= uriCharactersMax && isHttpUrl(text);
}
