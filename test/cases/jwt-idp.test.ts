import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { AddJWTIDPResponse } from "../../gen/iam/admin/v1/idp_pb.js";
import { IDPStylingType } from "../../gen/iam/idp/v1/idp_pb.js";
import type { IDPConfig, JWTProvider } from "../../src/domain/idp.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import {
  expectAdded,
  type GivenJWT,
  givenJWTProvider,
  givenOIDCProvider,
  smallestJWT,
} from "./idps.ts";
import { fact, granted } from "./stored.ts";

const { addJWTIDP } = AdminService.method;
const { STYLING_TYPE_UNSPECIFIED, STYLING_TYPE_GOOGLE } = IDPStylingType;
const undefinedNumber = Number("2") as IDPStylingType;
const negativeNumber = Number("-1") as IDPStylingType;

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

function refused(name: string, given: GivenJWT, fields: readonly string[]): Case {
  return row(name, addJWTIDP, ({ unique }) => ({
    request: { ...smallestJWT, name: unique, ...given },
    expected: { code: 3, reason: "INVALID_FIELDS", fields },
  }));
}

type URLField = "jwtEndpoint" | "keysEndpoint";

/** One more client could not use a name that is taken, so names at limits end differently. */
function nameOf(characters: number, character: string): Case {
  return row(`takes a name of ${characters} ${character}`, addJWTIDP, ({ unique }) => {
    const name = `${unique}${character.repeat(characters - unique.length)}`;
    return {
      request: { ...smallestJWT, name },
      expected: {
        ok: (_message, [config]) => expect(fact(config!).payload).toMatchObject({ name }),
      },
    };
  });
}

const url200 = (character: string) => {
  const start = "https://idp.example.com/";
  return start + character.repeat(200 - start.length);
};

runCases("AddJWTIDP", [
  stored("stores the defaults where nothing is said", {}),
  stored("stores no styling", { stylingType: STYLING_TYPE_UNSPECIFIED }),
  stored("stores the styling", { stylingType: STYLING_TYPE_GOOGLE }, { stylingType: "GOOGLE" }),
  stored("stores autoRegister", { autoRegister: true }, { autoRegister: true }),
  refused("refuses an undefined styling", { stylingType: undefinedNumber }, ["styling_type"]),
  refused("refuses a negative styling", { stylingType: negativeNumber }, ["styling_type"]),

  nameOf(200, "n"),
  nameOf(200, "😀"),
  refused("refuses a name of 201 characters", { name: "n".repeat(201) }, ["name"]),
  refused("refuses a name of 201 emoji", { name: "😀".repeat(201) }, ["name"]),
  refused("refuses an empty name", { name: "" }, ["name"]),
  refused("refuses a name of white space", { name: " \t\u00a0" }, ["name"]),
  refused("refuses a name of invisible characters", { name: "\u200b\ufeff" }, ["name"]),
  refused("refuses a name with U+0000", { name: "a\0b" }, ["name"]),

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
  ...["", " ", "a b:c", ":", "1:2", "https://", "urn:a b", "i".repeat(201)].map((issuer) =>
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
  row("refuses a call without a token", addJWTIDP, ({ unique }) => ({
    request: { ...smallestJWT, name: unique },
    token: "",
    expected: { code: 16, reason: "UNAUTHENTICATED" },
  })),
]);

const taken = {
  code: 6,
  reason: "NAME_TAKEN",
  message:
    "Another identity provider there has this name; case does not count. " +
    "Choose a different one.",
};

runCases("names of JWT providers", [
  row("refuses a name that is taken, in another case", addJWTIDP, async ({ call, unique }) => {
    granted(await call(addJWTIDP, { ...smallestJWT, name: unique }));
    return { request: { ...smallestJWT, name: unique.toUpperCase() }, expected: taken };
  }),
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
  row("is one winner of a name that many want at once", addJWTIDP, async (world) => {
    const { call, server, unique } = world;
    const before = await server.head();
    const names = [unique, unique.toUpperCase(), unique, unique.toUpperCase()];
    const answers = await Promise.all(
      names.map((name) => call(addJWTIDP, { ...smallestJWT, name })),
    );
    const won = answers.flatMap((answer) => (answer.ok ? [answer.message] : []));
    expect(answers.filter(({ ok }) => !ok)).toMatchObject([taken, taken, taken]);
    const [{ idpId }] = won as [AddJWTIDPResponse];
    const streams = (await server.events(before)).map(({ stream }) => stream);
    expect(streams).toEqual([`idp-${idpId}`, `idp-${idpId}`]);
    return { request: { ...smallestJWT, name: unique }, expected: taken };
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
