import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { IDPStylingType, OIDCMappingField } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { OIDCProvider } from "../../src/domain/idp.ts";
import type { IDPConfig } from "../../src/domain/idp-config.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import {
  addingRows,
  expectAdded,
  type GivenOIDC,
  givenJWTProvider,
  givenOIDCProvider,
  openedSecret,
  smallestOIDC,
} from "./idps.ts";
import { detailsOf, granted } from "./stored.ts";

const { addOrgOIDCIDP } = ManagementService.method;
const { addOIDCIDP } = AdminService.method;
const { STYLING_TYPE_UNSPECIFIED, STYLING_TYPE_GOOGLE } = IDPStylingType;
const { OIDC_MAPPING_FIELD_UNSPECIFIED, OIDC_MAPPING_FIELD_EMAIL } = OIDCMappingField;
const { OIDC_MAPPING_FIELD_PREFERRED_USERNAME } = OIDCMappingField;

const smallest = {
  clientId: "client",
  clientSecret: "secret",
  issuer: "https://idp.example.com",
} as const;

/** A provider that is created; of its settings only those that are not the smallest. */
function stored(
  name: string,
  given: GivenOIDC,
  changed: Partial<Omit<OIDCProvider, "clientSecret"> & IDPConfig> = {},
): Case {
  return row(name, addOrgOIDCIDP, ({ server, unique }) => ({
    request: { ...smallest, name: unique, ...given },
    expected: {
      ok(message, events) {
        const { stylingType = "UNSPECIFIED", autoRegister = false, ...provider } = changed;
        const secret = given.clientSecret ?? smallest.clientSecret;
        const config = { name: given.name ?? unique, stylingType, autoRegister };
        const clientSecret = expect.stringMatching(/^v1\./);
        expectAdded(
          server,
          message,
          events,
          { ...config, serves: "ORGANIZATION" },
          {
            type: "idp.oidc.config.added",
            payload: { ...smallestOIDC, ...provider, clientSecret },
          },
        );
        expect(openedSecret(server, events[1]!)).toBe(secret);
      },
    },
  }));
}

const { refused, names, takenNames } = addingRows(addOrgOIDCIDP, smallest);

/** A text field at its limit, counted in characters, and one past it. */
function text(field: "clientId" | "clientSecret", path: string): readonly Case[] {
  return [
    ...["x", "c".repeat(200), "😀".repeat(200)].map((value) =>
      stored(
        `takes ${path} ${value}`,
        { [field]: value },
        field === "clientId" ? { clientId: value } : {},
      ),
    ),
    ...["", "c".repeat(201), "😀".repeat(201), "a\0b"].map((value) =>
      refused(`refuses ${path} ${JSON.stringify(value)}`, { [field]: value }, [path]),
    ),
  ];
}

function mapping(field: "displayNameMapping" | "usernameMapping", path: string): readonly Case[] {
  const values = [
    [OIDC_MAPPING_FIELD_UNSPECIFIED, "UNSPECIFIED"],
    [OIDC_MAPPING_FIELD_PREFERRED_USERNAME, "PREFERRED_USERNAME"],
    [OIDC_MAPPING_FIELD_EMAIL, "EMAIL"],
  ] as const;
  return values.map(([given, kept]) =>
    stored(`stores ${path} ${kept}`, { [field]: given }, { [field]: kept }),
  );
}

const issuer200 = (character: string) => {
  const start = "https://idp.example.com/";
  return start + character.repeat(200 - start.length);
};

const issuers = [
  "https://idp.example.com/realms/a/",
  "https://idp.example.com:8443",
  "HTTPS://IDP.EXAMPLE.COM",
  "https://localhost",
  "http://localhost:8080/realms/a",
  "http://127.0.0.1",
  "http://127.9.9.9:1",
  "http://[::1]:8080",
  "https://idp.example.com/@a",
  issuer200("a"),
  issuer200("😀"),
];

const badIssuers = [
  "",
  " ",
  "idp.example.com",
  "http://idp.example.com",
  "http://localhost.example.com",
  "http://128.0.0.1",
  "http://[::2]",
  "https://idp.example.com?",
  "https://idp.example.com?a=b",
  "https://idp.example.com#",
  "https://idp.example.com/#a",
  "https://user@idp.example.com",
  "https://user:secret@idp.example.com",
  "https://@idp.example.com",
  "https://:@idp.example.com",
  "https:idp.example.com",
  "https:\\\\idp.example.com",
  "https://",
  "ftp://localhost",
  "urn:example:idp",
  "javascript:alert(1)",
  " https://idp.example.com",
  "https://idp.example.com/\t",
  `${issuer200("a")}a`,
];

const scopesOf = (count: number) => Array.from({ length: count }, (_none, index) => `s${index}`);

runCases("AddOrgOIDCIDP", [
  stored("stores the defaults where nothing is said", {}),
  stored("stores no styling", { stylingType: STYLING_TYPE_UNSPECIFIED }),
  stored("stores the styling", { stylingType: STYLING_TYPE_GOOGLE }, { stylingType: "GOOGLE" }),
  stored("stores autoRegister", { autoRegister: true }, { autoRegister: true }),
  ...mapping("displayNameMapping", "display_name_mapping"),
  ...mapping("usernameMapping", "username_mapping"),

  ...names,

  ...text("clientId", "client_id"),
  ...text("clientSecret", "client_secret"),
  refused("refuses a client id of a space", { clientId: " " }, ["client_id"]),
  stored("takes a client secret of a space", { clientSecret: " " }),
  ...issuers.map((issuer) => stored(`takes the issuer ${issuer}`, { issuer }, { issuer })),
  ...badIssuers.map((issuer) =>
    refused(`refuses the issuer ${JSON.stringify(issuer)}`, { issuer }, ["issuer"]),
  ),

  stored(
    "stores the scopes in the given order, doubles too",
    { scopes: ["openid", "profile", "openid", "https://idp.example.com/scope"] },
    { scopes: ["openid", "profile", "openid", "https://idp.example.com/scope"] },
  ),
  stored("takes 100 scopes", { scopes: scopesOf(100) }, { scopes: scopesOf(100) }),
  refused("refuses 101 scopes", { scopes: scopesOf(101) }, ["scopes"]),
  stored(
    "takes a scope of 200 emoji",
    { scopes: ["😀".repeat(200)] },
    { scopes: ["😀".repeat(200)] },
  ),
  refused("refuses a scope of 201 characters", { scopes: ["a", "s".repeat(201)] }, ["scopes[1]"]),
  refused("refuses scopes that are two", { scopes: ["openid", "a b"] }, ["scopes[1]"]),
  refused("lists every missing field", { name: "", clientId: "", clientSecret: "", issuer: "" }, [
    "name",
    "client_id",
    "client_secret",
    "issuer",
  ]),
  refused("lists everything that is wrong with the values", { name: " ", issuer: "a" }, [
    "name",
    "issuer",
  ]),
]);

runCases("AddOIDCIDP", [
  row("serves the instance", addOIDCIDP, ({ server, unique: name }) => ({
    request: { ...smallest, name },
    expected: {
      ok(message, events) {
        const config = { name, stylingType: "UNSPECIFIED", autoRegister: false } as const;
        const payload = { ...smallestOIDC, clientSecret: expect.stringMatching(/^v1\./) };
        const provider = { type: "idp.oidc.config.added", payload } as const;
        expectAdded(server, message, events, { ...config, serves: "INSTANCE" }, provider);
      },
    },
  })),
]);

runCases("what a client secret leaves", [
  row("seals equal secrets to different texts", addOrgOIDCIDP, async ({ call, server, unique }) => {
    const before = await server.head();
    granted(await call(addOrgOIDCIDP, { ...smallest, name: `${unique} before` }));
    const [, first] = await server.events(before);
    return {
      request: { ...smallest, name: unique },
      expected: {
        ok(_message, [, second]) {
          expect(openedSecret(server, second!)).toBe(openedSecret(server, first!));
          const [one, other] = [first!, second!].map(
            ({ payload }) => (JSON.parse(payload) as OIDCProvider).clientSecret,
          );
          expect(one).not.toBe(other);
        },
      },
    };
  }),
  row("is in clear neither in the log, the objects nor the lines", addOrgOIDCIDP, (world) => {
    const { server, unique } = world;
    const clientSecret = `planted-${unique}`;
    return {
      request: { ...smallest, name: unique, clientSecret },
      expected: {
        async ok({ idpId }, events) {
          const [object] = await server.store.load([`idp-${idpId}`]);
          const texts = [...events.map(({ payload }) => payload), ...server.logged()];
          expect(object!.state).toContain("clientSecret");
          expect([...texts, object!.state].filter((one) => one?.includes("planted-"))).toEqual([]);
        },
      },
    };
  }),
]);

runCases("names of the providers of an organization", [
  ...takenNames,
  row("takes the name of a provider of another organization", addOrgOIDCIDP, async (world) => {
    const { server, unique: name } = world;
    const other = await givenOrganization(server);
    await givenOIDCProvider(server, server.admin.organization, { clientSecret: "s", name });
    return {
      request: { ...smallest, name },
      headers: { "x-service-orgid": other },
      expected: {
        ok({ details }, events) {
          expect(events.map(({ owner }) => owner)).toEqual([other, other]);
          expect(details).toMatchObject({ ...detailsOf(events), resourceOwner: other });
        },
      },
    };
  }),
  row("takes the name of a provider of the instance", addOrgOIDCIDP, async (world) => {
    const { server, unique: name } = world;
    await givenJWTProvider(server, server.admin.organization, name);
    return {
      request: { ...smallest, name },
      expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
    };
  }),
]);
