import { describe, expect, test } from "@jest/globals";
import { readMetadata } from "../../src/saml/metadata.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";
import { acs, bytes, entity, md, post, problemOf, provider, service } from "./document.ts";

describe("what is taken", () => {
  test("everything that a provider may say", async () => {
    const document = `<?xml version="1.0" encoding="utf-8" standalone='yes' ?>
<!-- A provider <with> "everything". -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"
    xmlns:ds="http://www.w3.org/2000/09/xmldsig#" ID="_1" validUntil="2030-01-01T00:00:00Z"
    entityID='https://sp.example.com/metadata?a=1&amp;b=&#50;&#x33;'>
  <md:Extensions><ds:EntityDescriptor entityID="not this"/></md:Extensions>
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor><ds:KeyInfo><![CDATA[A<B]]>${"A".repeat(99_999)}</ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleLogoutService Binding="urn:b" Location="javascript:not read"/>
    <md:AssertionConsumerService Binding="${post}" Location="https://sp.example.com/acs" index="0"
      isDefault="true" />
    <md:AssertionConsumerService Binding="urn:b" Location="HTTP://localhost:8080/acs?a&#x3D;b"
      index="65535" isDefault="false"></md:AssertionConsumerService>
    <md:Extensions><md:AssertionConsumerService Location="javascript:not read"/></md:Extensions>
  </md:SPSSODescriptor>
  <md:SPSSODescriptor>${acs.replace("<", "<md:")}</md:SPSSODescriptor>
  <md:Organization>&lt;&gt;&quot;&apos; Ünïcödé 🙂</md:Organization>
</md:EntityDescriptor>
<!-- The end. -->
`;
    expect(await readMetadata(bytes(document))).toEqual({
      kind: "metadata",
      entityId: "https://sp.example.com/metadata?a=1&b=23",
    });
  });

  test.each([
    ["the smallest document", entity({})],
    ["a byte order mark", entity({ before: "\u{feff}" })],
    ["a mark and a declaration", entity({ before: '\u{feff}<?xml version="1.0"?>\r\n' })],
    ["a comment in a comment's clothes", entity({ content: `<!--<!DOCTYPE a>-->${provider}` })],
    ["a DOCTYPE that is text", entity({ content: `<![CDATA[<!DOCTYPE a>]]>${provider}` })],
    ["an attribute with the name of a method", entity({ attributes: 'entityID="sp" toString=""' })],
    ["an attribute __proto__", entity({ attributes: '__proto__="" entityID="sp"' })],
    ["the same name in two namespaces", entity({ attributes: 'entityID="sp" xml:entityID="b"' })],
  ])("%s", async (_, document) => {
    expect(await readMetadata(bytes(document))).toEqual({ kind: "metadata", entityId: "sp" });
  });
});

describe("what is no metadata of one service provider", () => {
  const noRoot =
    "it must be EntityDescriptor of the namespace urn:oasis:names:tc:SAML:2.0:metadata (line 1";
  const noLocation =
    "The AssertionConsumerService must have a Location that is an absolute http or https URL";
  test.each([
    ["nothing", "", "must contain a root element (line 1, column 0)."],
    [
      "a second byte order mark",
      entity({ before: "\u{feff}\u{feff}" }),
      "text data outside of root node (line 1, column 3).",
    ],
    ["white space", " \n ", "must contain a root element (line 2, column 1)."],
    [
      "a page",
      "<html><body>secret</body></html>",
      `The root element is html; ${noRoot}, column 6).`,
    ],
    ["no namespace", '<EntityDescriptor entityID="a"/>', `EntityDescriptor of another namespace`],
    [
      "another namespace",
      '<md:EntityDescriptor xmlns:md="urn:secret" entityID="a"/>',
      `The root element is md:EntityDescriptor of another namespace; ${noRoot}, column 57).`,
    ],
    [
      "another element",
      `<SPSSODescriptor ${md}/>`,
      `The root element is SPSSODescriptor; ${noRoot}`,
    ],
    [
      "many services",
      `<EntitiesDescriptor ${md}>${entity({})}</EntitiesDescriptor>`,
      "The root element is EntitiesDescriptor, which describes many services",
    ],
    ["no entityID", entity({ attributes: "" }), "The EntityDescriptor must have an entityID"],
    ["entityId", entity({ attributes: 'entityId="a"' }), "must have an entityID"],
    ["an empty one", entity({ attributes: 'entityID=""' }), "must have an entityID"],
    ["one of a namespace", entity({ attributes: 'xml:entityID="a"' }), "must have an entityID"],
    ["a space in it", entity({ attributes: 'entityID="a b"' }), "must not have white space"],
    ["a line break", entity({ attributes: 'entityID="a&#10;"' }), "must not have white space"],
    ["what is not seen", entity({ attributes: 'entityID="a\u{200b}"' }), "invisible characters"],
    ...["\u3164", "\u034f", "\ufe0f", "\u{e0100}"].map(
      (unseen) =>
        [
          "what is no format character and yet not seen",
          entity({ attributes: `entityID="a${unseen}"` }),
          "invisible characters",
        ] as const,
    ),
    ["no descriptor", entity({ content: "" }), "must have an SPSSODescriptor"],
    ["one of an IdP", entity({ content: "<IDPSSODescriptor/>" }), "must have an SPSSODescriptor"],
    [
      "one deeper down",
      entity({ content: `<Extensions>${provider}</Extensions>` }),
      "must have an SPSSODescriptor",
    ],
    [
      "one of another namespace",
      entity({ content: provider.replaceAll("Descriptor", 'Descriptor xmlns="a"') }),
      "The XML is not well-formed",
    ],
    ["no service", entity({ content: "<SPSSODescriptor/>" }), "must have an AssertionConsumer"],
    [
      "no service in the second descriptor",
      entity({ content: `${provider}<SPSSODescriptor></SPSSODescriptor>` }),
      "must have an AssertionConsumer",
    ],
    [
      "services elsewhere",
      entity({ content: `<SPSSODescriptor><Extensions>${acs}</Extensions></SPSSODescriptor>` }),
      "must have an AssertionConsumer",
    ],
    ["no Binding", service('Location="https://a/"'), "must have a Binding that is a URI"],
    ["an empty one", service('Binding="" Location="https://a/"'), "must have a Binding"],
    ["no Location", service('Binding="b"'), noLocation],
    ["an empty one", service('Binding="b" Location=""'), noLocation],
    ["a relative one", service('Binding="b" Location="/acs"'), noLocation],
    ["a script", service('Binding="b" Location="javascript:alert(1)"'), noLocation],
    ["a script with a tab", service('Binding="b" Location="java&#9;script:alert(1)"'), noLocation],
    ["data", service('Binding="b" Location="data:text/html,a"'), noLocation],
    ["a file", service('Binding="b" Location="file:///etc/passwd"'), noLocation],
    ["an application", service('Binding="b" Location="com.example.app://acs"'), noLocation],
    ["half a URL", service('Binding="b" Location="https://"'), noLocation],
    ["a space", service('Binding="b" Location="https://a/ b"'), noLocation],
    ["a long one", service(`Binding="b" Location="https://a/${"a".repeat(2_039)}"`), noLocation],
    ["an index", service('Binding="b" Location="https://a/" index="65536"'), "from 0 to 65535"],
    ["an index", service('Binding="b" Location="https://a/" index="-1"'), "from 0 to 65535"],
    ["an index", service('Binding="b" Location="https://a/" index=""'), "from 0 to 65535"],
  ])("%s", async (_, document, problem) => {
    const said = await problemOf(document);
    expect(said).toContain(problem);
    expect(said).toMatch(/ \(line \d+, column \d+\)\.$/);
    expect(said).not.toContain("secret");
  });
});

describe("whatever is given, the answer has one of two forms", () => {
  const forms = { metadata: ["kind", "entityId"], refused: ["kind", "problem"] };
  const whole = bytes(entity({ before: '<?xml version="1.0"?><!-- -->', content: provider }));

  test("any bytes", () => {
    return fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (xml) => {
        const reading = await readMetadata(xml);
        expect(Object.keys(reading)).toEqual(forms[reading.kind]);
      }),
    );
  });

  test("any pieces of XML", () => {
    const piece = fc.constantFrom(
      ...[
        "<",
        ">",
        "/",
        "<!",
        "--",
        "[CDATA[",
        "]]>",
        "<?xml",
        "?>",
        "DOCTYPE",
        "&",
        ";",
        "#x",
        '"',
      ],
      ...[
        "=",
        " ",
        ":",
        "a",
        "xmlns",
        "__proto__",
        "constructor",
        "EntityDescriptor",
        md,
        provider,
      ],
    );
    return fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.boolean(), async (pieces, inside) => {
        const text = pieces.join("");
        const reading = await readMetadata(bytes(inside ? entity({ content: text }) : text));
        expect(Object.keys(reading)).toEqual(forms[reading.kind]);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("a valid document with a byte changed, or cut off", () => {
    const position = fc.nat({ max: whole.length - 1 });
    return fc.assert(
      fc.asyncProperty(position, fc.nat({ max: 255 }), async (index, byte) => {
        const reading = await readMetadata(whole.with(index, byte));
        expect(Object.keys(reading)).toEqual(forms[reading.kind]);
        expect((await readMetadata(whole.subarray(0, index))).kind).toBe("refused");
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("an entity id comes back as it was written, beside any location", () => {
    const escaped = (text: string) => text.replace(/[&<"]/g, (c) => `&#${c.charCodeAt(0)};`);
    const id = fc.stringMatching(/^https:\/\/sp\.example\.com\/[!-~]{0,40}$/);
    // What browsers take for a slash has no place in a location.
    const place = id.filter((text) => !text.includes("\\"));
    return fc.assert(
      fc.asyncProperty(id, place, async (entityId, location) => {
        const content = provider.replace("https://sp.example.com/acs", () => escaped(location));
        const document = entity({ attributes: `entityID="${escaped(entityId)}"`, content });
        expect(await readMetadata(bytes(document))).toEqual({
          kind: "metadata",
          entityId,
        });
      }),
    );
  });
});
