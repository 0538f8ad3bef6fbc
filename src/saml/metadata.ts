import { isHttpUrl, unseen } from "../http-url.ts";
import { type Attributes, readXml, shortName, type XmlElement, XmlRefused } from "./xml.ts";

/** What the metadata of a SAML service provider tells. */
export interface Metadata {
  readonly entityId: string;
  /** In document order, at least one. */
  readonly assertionConsumerServices: readonly AssertionConsumerService[];
}

/** Where and how the provider takes assertions. */
export interface AssertionConsumerService {
  /** A URI such as `urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST`. */
  readonly binding: string;
  /** An absolute http(s) URL, as written. */
  readonly location: string;
  /** The number by which a request may choose this service, where the document gives one. */
  readonly index?: number;
  readonly isDefault: boolean;
}

export type MetadataReading =
  | { readonly kind: "metadata"; readonly metadata: Metadata }
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
 * Signatures and dates of validity are not looked at: whoever hands the document in vouches for it.
 */
export function readMetadata(xml: Uint8Array): MetadataReading {
  /** The open elements by their local names, those of other namespaces without. */
  const path: string[] = [];
  const services: AssertionConsumerService[] = [];
  let entityId = "";
  let providers = 0;
  let servicesBefore = 0;
  const problem = readXml(xml, {
    open: (element) => {
      const ours = element.namespace === metadataNamespace;
      path.push(ours ? element.local : "");
      const place = path.join("/");
      if (path.length === 1) {
        checkRoot(element);
        entityId = entityIdOf(element.attributes);
      } else if (place === "EntityDescriptor/SPSSODescriptor") {
        providers += 1;
        servicesBefore = services.length;
      } else if (place === "EntityDescriptor/SPSSODescriptor/AssertionConsumerService") {
        services.push(serviceOf(element.attributes));
      }
    },
    close: () => {
      const place = path.join("/");
      if (place === "EntityDescriptor" && providers === 0) {
        throw new XmlRefused("The metadata must have an SPSSODescriptor in its EntityDescriptor");
      }
      if (place === "EntityDescriptor/SPSSODescriptor" && services.length === servicesBefore) {
        throw new XmlRefused("The SPSSODescriptor must have an AssertionConsumerService");
      }
      path.pop();
    },
  });
  if (problem !== undefined) return { kind: "refused", problem };
  return { kind: "metadata", metadata: { entityId, assertionConsumerServices: services } };
}

function checkRoot({ name, local, namespace }: XmlElement): void {
  const ours = namespace === metadataNamespace;
  if (ours && local === "EntityDescriptor") return;
  if (ours && local === "EntitiesDescriptor") {
    throw new XmlRefused(
      "The root element is EntitiesDescriptor, which describes many services: hand in the " +
        "EntityDescriptor of one",
    );
  }
  const place = local === "EntityDescriptor" ? " of another namespace" : "";
  throw new XmlRefused(`The root element is ${shortName(name)}${place}; it must be ${rootName}`);
}

function entityIdOf(attributes: Attributes): string {
  const entityId = attributes.get("entityID") ?? "";
  if (entityId === "") throw new XmlRefused("The EntityDescriptor must have an entityID");
  if ([...entityId].length > entityIdCharactersMax) {
    throw new XmlRefused(`The entityID must have at most ${entityIdCharactersMax} characters`);
  }
  if (unseen.test(entityId)) {
    throw new XmlRefused("The entityID must not have white space or invisible characters");
  }
  return entityId;
}

function serviceOf(attributes: Attributes): AssertionConsumerService {
  const binding = attributes.get("Binding") ?? "";
  if (binding === "" || binding.length > uriCharactersMax || unseen.test(binding)) {
    throw new XmlRefused("The AssertionConsumerService must have a Binding that is a URI");
  }
  const location = attributes.get("Location") ?? "";
  if (!isEndpoint(location)) {
    throw new XmlRefused(
      "The AssertionConsumerService must have a Location that is an absolute http or https URL",
    );
  }
  const index = indexOf(attributes.get("index"));
  const isDefault = ["true", "1"].includes(attributes.get("isDefault") ?? "");
  return { binding, location, isDefault, ...(index === undefined ? {} : { index }) };
}

/** The schema wants an index; documents written by hand often have none. */
function indexOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const index = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (index <= 65_535) return index;
  throw new XmlRefused(
    "The AssertionConsumerService must have an index that is a whole number from 0 to 65535",
  );
}

/** Only these two: assertions must not be posted to what runs scripts or opens applications. */
function isEndpoint(text: string): boolean {
  return text.length <= uriCharactersMax && isHttpUrl(text);
}
