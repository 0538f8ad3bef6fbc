import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { UpdateIDPOIDCConfigRequestSchema } from "../../gen/iam/admin/v1/idp_pb.js";
import { OIDCMappingField } from "../../gen/iam/idp/v1/idp_pb.js";
import type { IDPState, OIDCProvider } from "../../src/domain/idp.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenJWTProvider, givenOIDCProvider, openedSecret } from "./idps.ts";
import { detailsOf, fact, granted } from "./stored.ts";

const { updateIDPOIDCConfig } = AdminService.method;
const { OIDC_MAPPING_FIELD_EMAIL, OIDC_MAPPING_FIELD_PREFERRED_USERNAME } = OIDCMappingField;

type Given = Omit<MessageInitShape<typeof UpdateIDPOIDCConfigRequestSchema>, "$typeName">;

/** Every field differs from its default, so that each shows when it is replaced. */
const before = {
  clientId: "before",
  issuer: "https://before.example.com",
  scopes: ["openid", "email"],
  displayNameMapping: "EMAIL",
  usernameMapping: "PREFERRED_USERNAME",
} as const;
const sameAsBefore: Given = {
  clientId: before.clientId,
  issuer: before.issuer,
  scopes: [...before.scopes],
  displayNameMapping: OIDC_MAPPING_FIELD_EMAIL,
  usernameMapping: OIDC_MAPPING_FIELD_PREFERRED_USERNAME,
};
const smallest = { clientId: "after", issuer: before.issuer } as const;
const elsewhere = { ...smallest, issuer: "https://after.example.com" } as const;
const emptied = { scopes: [], displayNameMapping: "UNSPECIFIED", usernameMapping: "UNSPECIFIED" };

function givenProvider({ server }: World, organization = server.admin.organization) {
  return givenOIDCProvider(server, organization, { ...before, clientSecret: "kept" });
}

/** An update that is accepted, what the configuration is afterwards, and the secret in it. */
function updated(
  name: string,
  given: Given,
  changed: Partial<Omit<OIDCProvider, "clientSecret">>,
  secret?: string,
): Case {
  return row(name, updateIDPOIDCConfig, async (world) => {
    const { server } = world;
    const idpId = await givenProvider(world);
    const added = await eventsOf(world, idpId);
    return {
      request: { idpId, ...given },
      expected: {
        async ok({ details }, events) {
          const { clientSecret: _, ...settings } = fact(added[1]!).payload as OIDCProvider;
          const resealed = secret === undefined ? {} : { clientSecret: expect.any(String) };
          expect(events.map(fact)).toEqual([
            {
              stream: `idp-${idpId}`,
              version: 3,
              owner: server.admin.organization,
              actor: server.admin.userId,
              type: "idp.oidc.config.changed",
              payload: { ...settings, ...changed, ...resealed },
            },
          ]);
          if (secret !== undefined) expect(openedSecret(server, events[0]!)).toBe(secret);
          expect(details).toMatchObject({
            ...detailsOf(events),
            creationDate: timestampFromMs(added[0]!.timeMs),
          });
        },
      },
    };
  });
}

function refused(name: string, given: Given, fields: readonly string[]): Case {
  return row(name, updateIDPOIDCConfig, async (world) => ({
    request: { idpId: await givenProvider(world), ...smallest, ...given },
    expected: { code: 3, reason: "INVALID_FIELDS", fields },
  }));
}

function eventsOf({ server }: World, idpId: string): Promise<readonly RecordedEvent[]> {
  return server.store.readStream(`idp-${idpId}`, 0, 10);
}

const nothing = {
  code: 9,
  reason: "NOTHING_CHANGED",
  message: "The call would change nothing.",
};
const unknown = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
};
const scopesOf = (count: number) => Array.from({ length: count }, (_none, index) => `s${index}`);
const issuer200 = `https://idp.example.com/${"😀".repeat(200 - 24)}`;

runCases("UpdateIDPOIDCConfig", [
  updated("empties what is absent", smallest, { ...smallest, ...emptied } as Partial<OIDCProvider>),
  updated(
    "replaces everything",
    {
      ...elsewhere,
      clientSecret: "new",
      scopes: ["a"],
      displayNameMapping: OIDC_MAPPING_FIELD_PREFERRED_USERNAME,
      usernameMapping: OIDC_MAPPING_FIELD_EMAIL,
    },
    {
      ...elsewhere,
      scopes: ["a"],
      displayNameMapping: "PREFERRED_USERNAME",
      usernameMapping: "EMAIL",
    },
    "new",
  ),
  updated("takes another client id", { ...sameAsBefore, clientId: "x" }, { clientId: "x" }),
  updated(
    "takes another issuer",
    { ...sameAsBefore, issuer: "https://before.example.com/", clientSecret: "new" },
    { issuer: "https://before.example.com/" },
    "new",
  ),
  updated("takes another scope", { ...sameAsBefore, scopes: ["a"] }, { scopes: ["a"] }),
  updated(
    "takes the scopes in another order",
    { ...sameAsBefore, scopes: ["email", "openid"] },
    { scopes: ["email", "openid"] },
  ),
  updated("takes no scopes", { ...sameAsBefore, scopes: [] }, { scopes: [] }),
  updated(
    "takes one scope more",
    { ...sameAsBefore, scopes: ["openid", "email", "a"] },
    { scopes: ["openid", "email", "a"] },
  ),
  updated(
    "takes another display name",
    { ...sameAsBefore, displayNameMapping: OIDC_MAPPING_FIELD_PREFERRED_USERNAME },
    { displayNameMapping: "PREFERRED_USERNAME" },
  ),
  updated(
    "takes another user name",
    { ...sameAsBefore, usernameMapping: OIDC_MAPPING_FIELD_EMAIL },
    { usernameMapping: "EMAIL" },
  ),
  updated("takes another secret", { ...sameAsBefore, clientSecret: "new" }, {}, "new"),
  updated(
    "takes the same secret as a change",
    { ...sameAsBefore, clientSecret: "kept" },
    {},
    "kept",
  ),
  updated(
    "takes a secret of 200 emoji",
    { ...sameAsBefore, clientSecret: "😀".repeat(200) },
    {},
    "😀".repeat(200),
  ),
  updated(
    "takes a client id of 200 emoji",
    { ...sameAsBefore, clientId: "😀".repeat(200) },
    { clientId: "😀".repeat(200) },
  ),
  updated(
    "takes an issuer of 200 emoji",
    { ...sameAsBefore, issuer: issuer200, clientSecret: "new" },
    { issuer: issuer200 },
    "new",
  ),
  updated(
    "takes 100 scopes",
    { ...sameAsBefore, scopes: scopesOf(100) },
    {
      scopes: scopesOf(100),
    },
  ),

  row(
    "keeps name, styling, autoRegister and, byte for byte, the secret",
    updateIDPOIDCConfig,
    async (world) => {
      const idpId = await givenProvider(world);
      const [config, added] = await eventsOf(world, idpId);
      return {
        request: { idpId, ...smallest },
        expected: {
          async ok(_message, [changed]) {
            const { clientSecret } = fact(added!).payload as OIDCProvider;
            expect(fact(changed!).payload).not.toHaveProperty("clientSecret");
            const [object] = await world.server.store.load([`idp-${idpId}`]);
            const { oidc, ...rest } = JSON.parse(object!.state!) as IDPState;
            const { organization } = world.server.admin;
            const template = "OIDC";
            expect(rest).toEqual({ ...fact(config!).payload, template, organization });
            expect(oidc).toEqual({ ...(fact(changed!).payload as OIDCProvider), clientSecret });
          },
        },
      };
    },
  ),
  row("seals a secret that is the same to another text", updateIDPOIDCConfig, async (world) => {
    const idpId = await givenProvider(world);
    const [, added] = await eventsOf(world, idpId);
    return {
      request: { idpId, ...sameAsBefore, clientSecret: "kept" },
      expected: {
        ok(_message, [changed]) {
          const { clientSecret } = fact(added!).payload as OIDCProvider;
          expect(fact(changed!).payload).not.toMatchObject({ clientSecret });
        },
      },
    };
  }),

  refused("refuses an issuer of 201 characters", { issuer: `${issuer200}a` }, ["issuer"]),
  refused("refuses an issuer with a query", { issuer: "https://a.example?b" }, ["issuer"]),
  refused("refuses http", { issuer: "http://idp.example.com" }, ["issuer"]),
  refused("refuses a client id of two lines", { clientId: "a\nb" }, ["client_id"]),
  refused("refuses a scope of white space", { scopes: ["a", "\n"] }, ["scopes[1]"]),
  refused("refuses 101 scopes", { scopes: scopesOf(101) }, ["scopes"]),
  refused("refuses a scope of 201 characters", { scopes: ["s".repeat(201)] }, ["scopes[0]"]),
  refused("lists every missing field", { idpId: "", clientId: "", issuer: "" }, [
    "idp_id",
    "issuer",
    "client_id",
  ]),

  row("refuses what changes nothing", updateIDPOIDCConfig, async (world) => ({
    request: { idpId: await givenProvider(world), ...sameAsBefore },
    expected: nothing,
  })),
  row("refuses the same update a second time", updateIDPOIDCConfig, async (world) => {
    const request = { idpId: await givenProvider(world), ...smallest };
    granted(await world.call(updateIDPOIDCConfig, request));
    return { request, expected: nothing };
  }),
  row("refuses a JWT provider", updateIDPOIDCConfig, async ({ server }) => ({
    request: {
      idpId: await givenJWTProvider(server, server.admin.organization),
      ...smallest,
    },
    expected: {
      code: 9,
      reason: "IDP_NOT_OIDC",
      message: "The identity provider has no OIDC configuration to update.",
    },
  })),
  row("refuses an unknown provider", updateIDPOIDCConfig, ({ unique }) => ({
    request: { idpId: unique, ...smallest, clientSecret: "new" },
    expected: unknown,
  })),
  ...["a/b", "😀".repeat(200), "__proto__", "100%"].map((idpId) =>
    row(`looks for the id ${idpId}`, updateIDPOIDCConfig, () => ({
      request: { idpId, ...smallest },
      expected: unknown,
    })),
  ),
]);
