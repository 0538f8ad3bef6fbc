import { create, type DescMethodUnary, type DescService } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { aliasOfName } from "../../src/alias.ts";
import { aliasedServices } from "../../src/gateway/descriptors.ts";
import { byConnect, createClients } from "../harness/clients.ts";
import { methods } from "../harness/contract.ts";
import { sampled } from "../harness/extent.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import { openRaw } from "./raw.ts";

/** The services by the names that clients of the compatible API know. */

let server: TestServer;
let closed: TestServer;

beforeAll(async () => {
  const corsOrigins = ["https://admin.example.com"];
  [server, closed] = await Promise.all([
    startServer({ alias: "zitadel", corsOrigins }),
    startServer({ corsOrigins }),
  ]);
});
afterAll(() => Promise.all([server.close(), closed.close()]));

const [management] = aliasedServices([ManagementService], "zitadel") as [DescService];
const addProject = management.method.addProject as DescMethodUnary;
const path = "/zitadel.management.v1.ManagementService/AddProject";

/** Adds a project over Connect's JSON. */
async function post(
  to: TestServer,
  target: string,
  headers: object = {},
  message: object = { name: v7() },
) {
  const response = await fetch(to.url + target, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${to.admin.token}`, "content-type": "application/json" },
      ...headers,
    },
    body: JSON.stringify(message),
  });
  const body = (await response.json()) as { readonly details: { readonly resourceOwner: string } };
  return { status: response.status, body };
}

describe("a method", () => {
  test.each([
    ["native", {}],
    // What is unusual takes Connect's wire.
    ["Connect's", byConnect],
  ])("is called by every client on the %s wire, and logged by our name", async (_wire, more) => {
    const authorization = `Bearer ${server.admin.token}`;
    for (const client of createClients(server.url)) {
      const request = create(addProject.input, { name: v7() });
      const answer = await client.call(addProject, request, { authorization, ...more });
      client.close();
      expect([client.name, answer]).toEqual([client.name, expect.objectContaining({ ok: true })]);
    }
    const lines = server.logged().filter((line) => line.includes("AddProject"));
    expect(lines.length).toBeGreaterThanOrEqual(7);
    expect(lines.filter((line) => line.includes("zitadel"))).toEqual([]);
  });

  test("is called as through a proxy", async () => {
    const connection = await openRaw(server.port);
    const lines = [
      `POST http://zitadel.example.com${path} HTTP/1.1`,
      "host: zitadel.example.com",
      `authorization: Bearer ${server.admin.token}`,
      "content-type: application/json",
      "content-length: 2",
    ];
    connection.write(`${lines.join("\r\n")}\r\n\r\n{}`);
    expect((await connection.answer()).status).toBe(400);
    await connection.close();
  });

  test("that is named after the service is called by REST, too", async () => {
    const at = (name: string) => post(server, `/auth/v1/permissions/${name}/me/_search`, {}, {});
    expect(await at("zitadel")).toEqual(await at("iam"));
    expect((await at("zitadel")).status).toBe(200);
  });

  test("that is not there is unknown", async () => {
    const none = await post(server, "/zitadel.management.v1.ManagementService/Nothing");
    expect(none).toMatchObject({ status: 404, body: { details: [{ reason: "UNKNOWN_PATH" }] } });
  });

  test("has no other name where the alias is off", async () => {
    const none = await post(closed, path);
    expect(none).toMatchObject({ status: 404, body: { details: [{ reason: "UNKNOWN_PATH" }] } });
    const client = createClients(closed.url).find(({ name }) => name === "grpc")!;
    const request = create(addProject.input, { name: v7() });
    expect(await client.call(addProject, request, {})).toMatchObject({ ok: false, code: 12 });
    client.close();
  });
});

describe("x-zitadel-orgid", () => {
  const ways = [
    ["over HTTP/1.1", path],
    ["on a path of REST", "/management/v1/projects"],
  ] as const;

  describe.each(ways)("%s", (_way, target) => {
    test("chooses the organization, alone or beside the same in x-service-orgid", async () => {
      const organization = await givenOrganization(server);
      const headers = { "x-zitadel-orgid": organization };
      const both = { ...headers, "x-service-orgid": organization };
      for (const given of [headers, both]) {
        const { body } = await post(server, target, given);
        expect(body.details.resourceOwner).toBe(organization);
      }
    });

    test("two names for one thing: it is refused beside another, and given twice", async () => {
      const organization = await givenOrganization(server);
      const own = { "x-service-orgid": server.admin.organization };
      const refused = [
        { "x-zitadel-orgid": organization, ...own },
        { "x-zitadel-orgid": `${organization}, ${organization}` },
        { "x-zitadel-orgid": "", ...own },
      ];
      for (const given of refused) {
        const { status, body } = await post(server, target, given);
        expect([status, JSON.stringify(body)]).toEqual([
          400,
          expect.stringContaining("ORGANIZATION_HEADER_REPEATED"),
        ]);
      }
    });

    test("says nothing where the alias is off", async () => {
      const headers = { "x-zitadel-orgid": await givenOrganization(closed) };
      const { body } = await post(
        closed,
        target === path ? path.replace("zitadel", "iam") : target,
        headers,
      );
      expect(body.details.resourceOwner).toBe(closed.admin.organization);
    });
  });

  test.each(["grpc", "grpc-js"])("is read of %s", async (name) => {
    const client = createClients(server.url).find((one) => one.name === name)!;
    const [organization, authorization] = [
      await givenOrganization(server),
      `Bearer ${server.admin.token}`,
    ];
    const call = (headers: object) =>
      client.call(addProject, create(addProject.input, { name: v7() }), {
        ...{ authorization, "x-zitadel-orgid": organization, ...headers },
      });
    expect(await call({})).toMatchObject({
      message: { details: { resourceOwner: organization } },
    });
    const two = await call({ "x-service-orgid": server.admin.organization });
    expect(two).toMatchObject({ code: 3, reason: "ORGANIZATION_HEADER_REPEATED" });
    client.close();
  });

  test("may be sent from the pages of other origins, where the alias is on", async () => {
    const ask = async ({ url }: TestServer) => {
      const headers = {
        origin: "https://admin.example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-zitadel-orgid",
      };
      const { headers: answered } = await fetch(url + path, { method: "OPTIONS", headers });
      return answered.get("access-control-allow-headers")?.includes("x-zitadel-orgid");
    };
    expect([await ask(server), await ask(closed)]).toEqual([true, false]);
  });
});

describe("two names for one thing", () => {
  test("every method is judged alike by both, no matter who calls", async () => {
    const tokens = ["", await givenViewer()];
    const unary = methods.filter(({ methodKind }) => methodKind === "unary");
    const answered = async (name: string, token: string) => {
      const authorization = token === "" ? undefined : { authorization: `Bearer ${token}` };
      const headers = { "content-type": "application/json", ...authorization };
      const init = { method: "POST", headers, body: "{}" };
      const response = await fetch(server.url + name, init);
      return [response.status, await response.text()];
    };
    for (const { parent, name } of sampled(unary)) {
      const own = `/${parent.typeName}/${name}`;
      const theirs = `/${aliasOfName(parent.typeName, "zitadel")}/${aliasOfName(name, "zitadel")}`;
      const by = (target: string) => Promise.all(tokens.map((token) => answered(target, token)));
      const [one, other] = await Promise.all([by(own), by(theirs)]);
      expect([theirs, other]).toEqual([theirs, one]);
    }
  });
});

/** The token of a machine that may read the first organization. */
async function givenViewer(): Promise<string> {
  const call = async (path: string, body: object) => {
    const { body: answer } = await post(server, `/management/v1/${path}`, {}, body);
    return answer as { readonly userId?: string; readonly token?: string };
  };
  const { userId } = await call("users/machine", { userName: v7(), name: "A robot" });
  await call("orgs/me/members", { userId, roles: ["ORG_OWNER_VIEWER"] });
  return String((await call(`users/${userId}/pats`, {})).token);
}
