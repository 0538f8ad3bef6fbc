import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { jsonFailure } from "../harness/clients.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { givenOIDCProvider } from "./idps.ts";
import { fact } from "./stored.ts";

// CVE-2025-27507: who may change the configuration of which provider, and which one a path names.

const { updateIDPOIDCConfig } = AdminService.method;
const before = { clientSecret: "kept", scopes: ["openid"] } as const;
const smallest = { clientId: "after", issuer: "https://idp.example.com" } as const;
const unknown = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
};

function givenOwn({ server }: Pick<World, "server">): Promise<string> {
  return givenOIDCProvider(server, server.admin.organization, before);
}

runCases("who updates a provider", [
  row(
    "takes a provider of another organization from the owner of the instance",
    updateIDPOIDCConfig,
    async (world) => {
      const other = await givenOrganization(world.server);
      return {
        request: { idpId: await givenOIDCProvider(world.server, other, before), ...smallest },
        // The provider says whose it is, so the header means nothing.
        headers: { "x-service-orgid": world.unique },
        expected: {
          ok({ details }, [changed]) {
            expect(details?.resourceOwner).toBe(other);
            expect(changed).toMatchObject({ owner: other });
          },
        },
      };
    },
  ),
  row(
    "takes an own provider from who sets the organization up",
    updateIDPOIDCConfig,
    async (world) => {
      const { organization } = world.server.admin;
      return {
        request: { idpId: await givenOwn(world), ...smallest },
        token: await settingsManagerOf(world, organization),
        expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
      };
    },
  ),
  row(
    "refuses the provider of another organization as unknown",
    updateIDPOIDCConfig,
    async (world) => ({
      request: { idpId: await givenOwn(world), ...smallest },
      token: await settingsManagerOf(world, await givenOrganization(world.server)),
      expected: unknown,
    }),
  ),
  row(
    "refuses a provider that serves the instance to who owns it",
    updateIDPOIDCConfig,
    async (world) => {
      const { server } = world;
      const { organization } = server.admin;
      const given = { ...before, serves: "INSTANCE" } as const;
      return {
        request: { idpId: await givenOIDCProvider(server, organization, given), ...smallest },
        token: await settingsManagerOf(world, organization),
        expected: unknown,
      };
    },
  ),
  row("refuses who may write no providers, without a look", updateIDPOIDCConfig, async (world) => {
    const { server, unique } = world;
    const scope = { level: "organization", organization: server.admin.organization } as const;
    const roles = ["ORG_USER_MANAGER"] as const;
    const caller = await givenUser(server, server.admin.organization, [{ scope, roles }]);
    return {
      request: { idpId: unique, ...smallest },
      token: caller.token,
      expected: { code: 7, reason: "PERMISSION_DENIED" },
    };
  }),
]);

async function settingsManagerOf({ server }: World, organization: string): Promise<string> {
  const scope = { level: "organization", organization } as const;
  const roles = ["ORG_SETTINGS_MANAGER"] as const;
  return (await givenUser(server, organization, [{ scope, roles }])).token;
}

describe("the path of REST", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.close());

  async function put(path: string, body: object) {
    const head = await server.head();
    const response = await fetch(`${server.url}/admin/v1/idps/${path}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const json = (await response.json()) as { readonly [name: string]: unknown };
    return { status: response.status, json, events: await server.events(head) };
  }

  test.each(["idpId", "idp_id"])("counts, whatever %s says", async (field) => {
    for (const written of [await givenOwn({ server }), "unknown", "", "i".repeat(201)]) {
      const idpId = await givenOwn({ server });
      const body = { ...smallest, [field]: written };
      const { status, json, events } = await put(`${idpId}/oidc_config`, body);
      expect(status).toBe(200);
      expect(Object.keys(json)).toEqual(["details"]);
      expect(events.map(fact)).toMatchObject([
        { stream: `idp-${idpId}`, type: "idp.oidc.config.changed", payload: smallest },
      ]);
    }
  });

  test.each([
    ["an empty id", "/oidc_config", 400, "INVALID_FIELDS"],
    ["an unknown id", "unknown/oidc_config", 404, "IDP_NOT_FOUND"],
    // That is the path of UpdateIDP, which knows no such fields.
    ["no id at all", "oidc_config", 400, "MALFORMED_REQUEST"],
  ])("with %s", async (_what, path, httpStatus, reason) => {
    const { status, json, events } = await put(path, smallest);
    expect(jsonFailure(json, status)).toMatchObject({ httpStatus, reason });
    expect(events).toEqual([]);
  });

  test("is not answered for other methods", async () => {
    const path = `/admin/v1/idps/${await givenOwn({ server })}/oidc_config`;
    const response = await fetch(server.url + path, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "PUT"]);
  });
});
