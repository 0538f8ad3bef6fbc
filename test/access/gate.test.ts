import {
  create,
  createFileRegistry,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { AccessSchema, access } from "../../gen/iam/v1/access_pb.js";
import { ruleOf, rulesOf } from "../../src/gateway/call/rule.ts";
import { isFull } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { bearer } from "./http.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

const management = `/${ManagementService.typeName}`;

let world: AccessWorld;
let nobody: GivenUser;
let projectOwner: GivenUser;

beforeAll(async () => {
  world = await startWorld();
  nobody = await world.givenCaller("no role", "nowhere");
  projectOwner = await world.givenCaller("PROJECT_OWNER", "own-1");
});

afterAll(() => world.close());

describe("the gate comes before the body", () => {
  const denied = ["403 7 PERMISSION_DENIED"];
  const pathsOf = ({ typeName, methods }: DescService, refusals: readonly string[]) =>
    methods.map(({ name }) => [name, `/${typeName}/${name}`, refusals] as const);
  const paths = [
    ...pathsOf(AdminService, denied),
    ...pathsOf(ManagementService, denied),
    // Users may act on themselves, and who that is stands in the body.
    ...pathsOf(UserService, []),
  ];
  const bodies = [
    ["does not parse", { body: '{"projectId":' }],
    ["has an unknown field", { body: '{"projectID":"x","nmae":""}' }],
    ["never comes", { endless: true }],
    ["never ends", { body: '{"name":"', endless: true }],
    ["is too large", { body: `{"name":"${"x".repeat(2 * 1024 * 1024)}"}` }],
  ] as const;

  describe.each(bodies.map((body, index) => [...body, index] as const))(
    "which %s",
    (_, sent, turn) => {
      // In full each path with each of them.
      const its = paths.filter((_path, index) => isFull || index % bodies.length === turn);
      test.each(its)("when %s is called", async (_name, path, refusals) => {
        const head = await world.server.head();
        const callers = [...refusals.map(() => bearer(nobody.token)), {}];
        const answers = await Promise.all(
          callers.map((headers) => world.http.send({ path, ...sent, headers })),
        );
        expect(answers.map(({ status, outcome }) => `${status} ${outcome}`)).toEqual([
          ...refusals,
          "401 16 UNAUTHENTICATED",
        ]);
        expect(await world.server.events(head)).toEqual([]);
      });
    },
  );

  test("of a stream too", async () => {
    const path = `/${EventService.typeName}/WatchEvents`;
    const type = { "content-type": "application/connect+json" };
    const callers = [{}, bearer(nobody.token)];
    const answers = await Promise.all(
      callers.map((caller) =>
        world.http.send({ path, headers: { ...type, ...caller }, body: "\0", endless: true }),
      ),
    );
    const reasons = answers.map(({ text }) => /"reason":"(\w+)"/.exec(text)?.[1]);
    expect(reasons).toEqual(["UNAUTHENTICATED", "PERMISSION_DENIED"]);
  });

  test.each(paths)(
    "and one who passes is told what is wrong with the body of %s",
    async (_, path) => {
      const headers = bearer(world.server.admin.token);
      const { outcome } = await world.http.send({ path, headers, body: '{"projectId":' });
      expect(outcome).toBe("3 MALFORMED_REQUEST");
    },
  );
});

describe("the organization header", () => {
  const own = () => world.organizations.own;
  const twice = "3 ORGANIZATION_HEADER_REPEATED";
  const rows: readonly (readonly [string, () => string | string[], string])[] = [
    ["holds one id", own, "OK"],
    ["has white space around it", () => `  ${own()}\t `, "OK"],
    ["is there twice, alike", () => [own(), own()], twice],
    ["is there twice, with different ids", () => [own(), world.organizations.foreign], twice],
    ["is there twice, one of them empty", () => ["", own()], twice],
    ["is there twice, both empty", () => ["", ""], twice],
    ["holds two ids", () => `${own()},${own()}`, twice],
    ["holds two ids with a space between", () => `${own()} ${own()}`, "7 PERMISSION_DENIED"],
    ["holds the id in upper case", () => own().toUpperCase(), "7 PERMISSION_DENIED"],
    ["holds the name of a stream", () => `org-${own()}`, "7 PERMISSION_DENIED"],
    ["holds the name of a property", () => "__proto__", "7 PERMISSION_DENIED"],
    ["is as long as headers may be", () => "x".repeat(12_000), "7 PERMISSION_DENIED"],
  ];

  few(3).each(rows)("%s", async (_, header, outcome) => {
    const answer = await world.http.send({
      path: `${management}/AddProject`,
      headers: { ...bearer(world.server.admin.token), "x-service-orgid": header() },
      body: JSON.stringify({ name: v7() }),
    });
    expect(answer.outcome).toBe(outcome);
  });

  test("is not looked at before the token", async () => {
    const headers = { "x-service-orgid": ["a", "b"] };
    const answer = await world.http.send({ path: `${management}/AddProject`, headers });
    expect(answer.outcome).toBe("16 UNAUTHENTICATED");
  });

  test.each(["AddOrg", "AddIAMMember"])("means nothing to %s", async (name) => {
    const service = name === "AddOrg" ? ManagementService : AdminService;
    const answers = [["a", "b"], world.organizations.foreign, v7()].map(async (header) => {
      const { userId } = await world.givenCaller("no role", "nowhere");
      const { outcome } = await world.http.send({
        path: `/${service.typeName}/${name}`,
        headers: { ...bearer(world.server.admin.token), "x-service-orgid": header },
        body: JSON.stringify(
          name === "AddOrg" ? { name: v7() } : { userId, roles: ["IAM_OWNER_VIEWER"] },
        ),
      });
      return outcome;
    });
    expect(await Promise.all(answers)).toEqual(["OK", "OK", "OK"]);
  });
});

describe("a role on a project", () => {
  test("counts for the project in the path, whatever the body says", async () => {
    const headers = bearer(projectOwner.token);
    const apps = (project: string) => `/management/v1/projects/${project}/apps/api`;
    const { "own-1": mine, "own-2": other } = world.projects;
    const body = (projectId: string) => JSON.stringify({ projectId, name: v7() });

    const outside = await world.http.send({ path: apps(other), headers, body: body(mine) });
    expect(outside.outcome).toBe("7 PERMISSION_DENIED");

    const head = await world.server.head();
    const inside = await world.http.send({ path: apps(mine), headers, body: body(other) });
    expect(inside.outcome).toBe("OK");
    const [added] = await world.server.events(head);
    expect(JSON.parse(added!.payload)).toMatchObject({ projectId: mine });
  });

  test.each([
    ["no project at all", {}, "3 INVALID_FIELDS"],
    ["an empty id", { projectId: "" }, "3 INVALID_FIELDS"],
    ["the name of a stream", { projectId: "project-1" }, "7 PERMISSION_DENIED"],
    ["the name of a property", { projectId: "__proto__" }, "7 PERMISSION_DENIED"],
  ])("gives nothing for %s", async (_, project, outcome) => {
    const answer = await world.http.send({
      path: `${management}/AddAPIApp`,
      headers: bearer(projectOwner.token),
      body: JSON.stringify({ name: v7(), ...project }),
    });
    expect(answer.outcome).toBe(outcome);
  });
});

describe("rules", () => {
  test("leave interfaces of others open", () => {
    expect(ruleOf(Health.method.check)).toEqual({ kind: "open" });
  });

  test("are there for served methods only", () => {
    const rules = rulesOf([AdminService]);
    expect(rules.of(AdminService.method.addIAMMember)).toMatchObject({ kind: "permission" });
    expect(() => rules.of(ManagementService.method.addOrg)).toThrow("AddOrg is served without");
  });

  test.each([
    ["no access", undefined, "declares no access"],
    ["an empty permission", { permission: "" }, "asks for the unknown permission"],
    ["an unknown permission", { permission: "user.writ" }, "the unknown permission user.writ"],
    [
      "a project field that is not there",
      { permission: "user.write", projectField: "projectId" },
      "names no text field projectId",
    ],
    [
      "a project field that is not a text",
      { permission: "user.write", projectField: "count" },
      "names no text field count",
    ],
    [
      "an unknown permission for owners",
      { permission: "user.write", ownerPermission: "user.writ" },
      "asks owners for the unknown user.writ",
    ],
  ])("are refused with %s", (_, declared, message) => {
    const { method } = serviceWith(declared);
    expect(() => ruleOf(method.do!)).toThrow(message);
  });

  test("know what is enough for owners, and who needs no permission", () => {
    const { updateIDPOIDCConfig, addJWTIDP } = AdminService.method;
    const owners = [updateIDPOIDCConfig, addJWTIDP].map(ruleOf);
    expect(owners).toMatchObject([
      { permission: "iam.idp.write", ownerPermission: "org.idp.write" },
      { permission: "iam.idp.write", ownerPermission: undefined },
    ]);
    const kinds = UserService.methods.map((method) => ruleOf(method).kind);
    expect(new Set(kinds)).toEqual(new Set(["authenticated"]));
  });

  test("name the request's property, not its field", () => {
    const { method } = serviceWith({ permission: "user.write", projectField: "project_id" });
    expect(ruleOf(method.do!)).toMatchObject({ projectField: "projectId" });
  });
});

/** A service of one method, which declares the access. */
function serviceWith(declared: MessageInitShape<typeof AccessSchema> | undefined): DescService {
  const options = create(MethodOptionsSchema);
  if (declared !== undefined) setExtension(options, access, create(AccessSchema, declared));
  const { STRING, UINT32 } = FieldDescriptorProto_Type;
  const file = {
    name: "test.proto",
    package: "iam.test",
    syntax: "proto3",
    messageType: [
      {
        name: "Request",
        field: [
          { name: "project_id", number: 1, type: STRING, jsonName: "projectId" },
          { name: "count", number: 2, type: UINT32, jsonName: "count" },
        ],
      },
    ],
    service: [
      {
        name: "Service",
        method: [
          { name: "Do", inputType: ".iam.test.Request", outputType: ".iam.test.Request", options },
        ],
      },
    ],
  };
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
  return registry.getService("iam.test.Service")!;
}
