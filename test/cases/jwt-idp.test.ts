import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { IDPStylingType } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { IDPConfig, JWTProvider } from "../../src/domain/idp-config.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import {
  addingRows,
  expectAdded,
  type GivenJWT,
  givenJWTProvider,
  givenOIDCProvider,
  smallestJWT,
  taken,
} from "./idps.ts";

const { addJWTIDP } = AdminService.method;
const { addOrgJWTIDP } = ManagementService.method;
const { STYLING_TYPE_UNSPECIFIED, STYLING_TYPE_GOOGLE } = IDPStylingType;

/** A provider that is created; of its settings only those that are not the smallest. */
function stored(
  name: string,
  given: GivenJWT,
  changed: Partial<JWTProvider> & Partial<IDPConfig> = {},
): Case {
  return row(name, addJWTIDP, ({ server, unique }) => ({
    request: { ...smallestJWT, name: unique, ...given },
    expected: {
      ok(message, events) {
        const { stylingType = "UNSPECIFIED", autoRegister = false, ...provider } = changed;
        const config = { name: given.name ?? unique, stylingType, autoRegister };
        expectAdded(
          server,
          message,
          events,
          { ...config, serves: "INSTANCE" },
          { type: "idp.jwt.config.added", payload: { ...smallestJWT, ...provider } },
        );
      },
    },
  }));
}

const { refused, names, takenNames } = addingRows(addJWTIDP, smallestJWT);

type URLField = "jwtEndpoint" | "keysEndpoint";

const url200 = (character: string) => {
  const start = "https://idp.example.com/";
  return start + character.repeat(200 - start.length);
};

runCases("AddJWTIDP", [
  stored("stores the defaults where nothing is said", {}),
  stored("stores no styling", { stylingType: STYLING_TYPE_UNSPECIFIED }),
  stored("stores the styling", { stylingType: STYLING_TYPE_GOOGLE }, { stylingType: "GOOGLE" }),
  stored("stores autoRegister", { autoRegister: true }, { autoRegister: true }),

  ...names,
  refused(
    "lists every missing field",
    { name: "", jwtEndpoint: "", issuer: "", keysEndpoint: "", headerName: "" },
    ["name", "jwt_endpoint", "issuer", "keys_endpoint", "header_name"],
  ),
  refused(
    "lists everything that is wrong with the values",
    { name: " ", jwtEndpoint: "a", issuer: " ", keysEndpoint: "b", headerName: "c d" },
    ["name", "jwt_endpoint", "issuer", "keys_endpoint", "header_name"],
  ),

  ...urls("jwtEndpoint", "jwt_endpoint"),
  ...urls("keysEndpoint", "keys_endpoint"),

  ...["authorization", "X-JWT", "x_jwt", "!#$%&'*+-.^_`|~09azAZ", "h".repeat(200)].map(
    (headerName) => stored(`takes the header ${headerName}`, { headerName }, { headerName }),
  ),
  ...["", " ", "x jwt", "x:jwt", "x-jwt:", "x\r\ny: z", "ü", "x(1)", "h".repeat(201)].map(
    (headerName) =>
      refused(`refuses the header ${JSON.stringify(headerName)}`, { headerName }, ["header_name"]),
  ),

  ...[
    "https://idp.example.com?a=b#c",
    "accounts.example.com",
    "urn:example:idp",
    "My identity provider",
    "😀".repeat(200),
  ].map((issuer) => stored(`takes the issuer ${issuer}`, { issuer }, { issuer })),
  ...["", " ", "a b:c", ":", "1:2", "https://", "urn:a b", "x\ny", "i".repeat(201)].map((issuer) =>
    refused(`refuses the issuer ${JSON.stringify(issuer)}`, { issuer }, ["issuer"]),
  ),

  row("serves the instance, whatever the header says", addJWTIDP, async ({ server, unique }) => ({
    request: { ...smallestJWT, name: unique },
    headers: { "x-service-orgid": await givenOrganization(server) },
    expected: {
      ok({ details }, events) {
        expect(details?.resourceOwner).toBe(server.admin.organization);
        expect(events.map(({ owner }) => owner)).toEqual([
          server.admin.organization,
          server.admin.organization,
        ]);
      },
    },
  })),
]);

runCases("AddOrgJWTIDP", [
  row("serves the organization", addOrgJWTIDP, ({ server, unique: name }) => ({
    request: { ...smallestJWT, name },
    expected: {
      ok(message, events) {
        const config = { name, stylingType: "UNSPECIFIED", autoRegister: false } as const;
        const provider = { type: "idp.jwt.config.added", payload: smallestJWT } as const;
        expectAdded(server, message, events, { ...config, serves: "ORGANIZATION" }, provider);
      },
    },
  })),
]);

runCases("names of JWT providers", [
  ...takenNames,
  row("refuses a name whose provider another organization owns", addJWTIDP, async (world) => {
    const { server, unique } = world;
    await givenJWTProvider(server, await givenOrganization(server), unique);
    return { request: { ...smallestJWT, name: unique }, expected: taken };
  }),
  row("takes the name of a provider of one organization", addJWTIDP, async (world) => {
    const { server, unique: name } = world;
    await givenOIDCProvider(server, server.admin.organization, { clientSecret: "s", name });
    return {
      request: { ...smallestJWT, name },
      expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
    };
  }),
]);

function urls(field: URLField, path: string): readonly Case[] {
  const good = [
    "https://idp.example.com",
    "http://idp.example.com:8080/jwt?a=b",
    "HTTPS://IDP.example.com/",
    "http://[::1]:80/",
    url200("a"),
    url200("😀"),
  ];
  const bad = [
    "",
    " ",
    "idp.example.com",
    "/jwt",
    "//idp.example.com",
    "ftp://idp.example.com",
    "javascript:alert(1)",
    "https:idp.example.com",
    "https:\\\\idp.example.com",
    "https://",
    "https://:443",
    "https://idp.example.com:65536",
    "https://idp.example.com/ a",
    " https://idp.example.com",
    "https://idp.example.com/\n",
    `${url200("a")}a`,
  ];
  return [
    ...good.map((url) => stored(`takes ${path} ${url}`, { [field]: url }, { [field]: url })),
    ...bad.map((url) =>
      refused(`refuses ${path} ${JSON.stringify(url)}`, { [field]: url }, [path]),
    ),
  ];
}
