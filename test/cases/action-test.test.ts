import { expect } from "@jest/globals";
import type { TestActionResponse } from "../../gen/iam/management/v1/action_test_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { nestingLimits } from "../../src/domain/nesting.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { nestedJson } from "../harness/nested.ts";
import { givenOrganization } from "../harness/server.ts";
import { givenReaching } from "./groups.ts";
import { bytes } from "./metadata.ts";
import { granted, scripted } from "./stored.ts";
import { givenHuman, notFound } from "./users.ts";

// A script runs in a sandbox, of which nothing is applied or recorded.

const { setUserMetadata, testAction } = ManagementService.method;

interface Given {
  readonly name?: string;
  readonly script?: string;
  readonly flowType?: string;
  readonly triggerType?: string;
  readonly timeout?: { readonly seconds?: bigint; readonly nanos?: number };
  readonly userId?: string;
  readonly contextJson?: string;
}

const inside = (body: string) => ({ script: `function greet(ctx, api) { ${body} }` });
const set = (name: string, value: string) =>
  inside(`api.v1.claims.setClaim(${JSON.stringify(name)}, ${value});`);

/** What a script answers, and that the log stays as it is. */
function answers(
  name: string,
  given: (world: World) => Promise<Given> | Given,
  check: (message: TestActionResponse, world: World) => void,
): Case {
  return row(name, testAction, async (world) => ({
    request: { ...scripted, ...(await given(world)) },
    expected: {
      ok(message, events) {
        expect(events).toEqual([]);
        check(message, world);
      },
    },
  }));
}

function refused(name: string, given: Given, fields: readonly string[]): Case {
  const expected = { code: 3, reason: "INVALID_FIELDS", fields };
  return row(name, testAction, () => ({ request: { ...scripted, ...given }, expected }));
}

/** A context with so many lists and objects in each other. */
const nestedContext = (times: number) => `{"a":${nestedJson(times - 1)}}`;

const after = ({ claimsAfterJson }: TestActionResponse) => JSON.parse(claimsAfterJson);
const before = ({ claimsBeforeJson }: TestActionResponse) => JSON.parse(claimsBeforeJson);
const values = ({ effects }: TestActionResponse) =>
  effects.map(({ kind, name, valueJson }) => [kind, name, JSON.parse(valueJson)]);

async function givenPerson({ server, unique: userName }: World): Promise<string> {
  return await givenHuman(server, server.admin.organization, { userName });
}

runCases("TestAction", [
  answers(
    "tells a script of a person, and answers what it asked for",
    async (world) => {
      const userId = await givenPerson(world);
      const metadata = { id: userId, key: "plan", value: bytes("gold") };
      granted(await world.call(setUserMetadata, metadata));
      return {
        userId,
        ...inside(`
          const { v1 } = ctx;
          const [{ value }] = v1.user.getMetadata().metadata;
          api.v1.claims.setClaim("plan", [value, v1.getUser().human.firstName, v1.org.id]);
          api.v1.user.setMetadata("seen", "yes");
          console.log(v1.claims.email);`),
      };
    },
    (message, { server, unique }) => {
      const plan = ["gold", "Ada", server.admin.organization];
      expect(values(message)).toEqual([
        ["setClaim", "plan", plan],
        ["setMetadata", "seen", "yes"],
      ]);
      expect(before(message)).toMatchObject({ preferred_username: unique, given_name: "Ada" });
      expect(after(message)).toEqual({ ...before(message), plan });
      expect([message.log, message.problem]).toEqual([["ada@example.com"], undefined]);
      expect(message.memoryBytes).toBeGreaterThan(1_000_000n);
      expect((message.duration?.nanos ?? 0) + Number(message.duration?.seconds)).toBeGreaterThan(0);
    },
  ),
  answers(
    "tells it of the roles that a person holds by a group",
    async (world) => ({
      userId: (await givenReaching(world)).userId,
      ...set("told", "ctx.v1.user.grants.grants.map((one) => [one.projectId, ...one.roles])"),
    }),
    (message, { project }) => expect(after(message).told).toEqual([[project, "editor"]]),
  ),
  answers(
    "tells it of claims of a provider where the flow begins with one",
    async (world) => ({
      ...{ userId: await givenPerson(world), flowType: "1", triggerType: "1" },
      ...inside("api.setNickName(ctx.getClaim('name') + ctx.v1.authError);"),
    }),
    (message) => expect(values(message)).toEqual([["setNickName", "", "Ada Lovelacenone"]]),
  ),
  answers(
    "tells it of what is given instead",
    () => ({
      contextJson: '{"v1":{"claims":{"a":1}},"more":2}',
      ...inside("api.v1.claims.setClaim('b', ctx.more + ctx.v1.claims.a);"),
    }),
    (message) => expect([before(message), after(message)]).toEqual([{ a: 1 }, { a: 1, b: 3 }]),
  ),
  answers(
    "tells it of what is nested as deep as may be",
    () => ({ contextJson: nestedContext(nestingLimits.depth), ...set("a", "ctx.a.length") }),
    (message) => expect(after(message)).toEqual({ a: 1 }),
  ),
  answers(
    "tells it of nothing where nothing is given",
    () => set("a", "Object.keys(ctx)"),
    (message) => expect([before(message), after(message)]).toEqual([{}, { a: [] }]),
  ),
  answers(
    "sets no claim that is there or reserved, or ours",
    () => ({
      contextJson: '{"v1":{"claims":{"a":1}}}',
      ...inside(
        `for (const name of ["a", "sub", "act", "urn:iam:org:id", "urn:zitadel:x", "b", "b"])
           api.v1.claims.setClaim(name, name.length);`,
      ),
    }),
    (message) => {
      expect(values(message)).toHaveLength(7);
      const reserved = ["sub", "act", "urn:iam:org:id", "urn:zitadel:x"];
      expect(after(message)).toEqual({
        ...{ a: 1, b: 1 },
        "urn:iam:action:greet:log": [
          'key "a" already exists',
          ...reserved.map((name) => `key "${name}" is reserved`),
          'key "b" already exists',
        ],
      });
    },
  ),
  answers(
    "takes flow and trigger by their names",
    () => ({
      flowType: "FLOW_TYPE_EXTERNAL_AUTHENTICATION",
      triggerType: "TRIGGER_TYPE_POST_CREATION",
      ...inside("api.v1.appendUserGrant({ projectId: '1', roles: [] });"),
    }),
    (message) =>
      expect(values(message)).toEqual([["appendUserGrant", "", { projectId: "1", roles: [] }]]),
  ),
  answers(
    "has the same time and chance each time",
    () => set("a", "[new Date().toISOString(), Math.random()]"),
    (message) => expect(after(message).a).toEqual(["2026-01-01T00:00:00.000Z", 0.317481443984434]),
  ),
  answers(
    "says where a script fails",
    () => ({ script: "function greet() {\n  null.x;\n}" }),
    ({ effects, problem }) => {
      expect(effects).toEqual([]);
      expect(problem).toMatchObject({ errorClass: "TypeError", line: 2, column: 3 });
    },
  ),
  answers(
    "says that no function is named like the action",
    () => ({ script: "function welcome() {}" }),
    ({ problem }) => expect(problem).toMatchObject({ errorClass: "NoFunction", line: 0 }),
  ),
  answers(
    "ends a script at its timeout",
    () => ({ script: "for (;;);", timeout: { nanos: 50_000_000 } }),
    ({ problem }) => expect(problem?.errorClass).toBe("Timeout"),
  ),

  row("knows no person of another organization", testAction, async (world) => {
    const other = await givenOrganization(world.server);
    const userId = await givenHuman(world.server, other);
    return { request: { ...scripted, userId }, expected: notFound };
  }),
  row("knows no person that is not there", testAction, () => ({
    request: { ...scripted, userId: "none" },
    expected: notFound,
  })),

  refused("refuses a script that does not parse", { script: "(" }, ["script"]),
  refused("refuses a name of white space", { name: " " }, ["name"]),
  refused("refuses 0 s", { timeout: {} }, ["timeout"]),
  refused("refuses a flow that there is not", { flowType: "4" }, ["flow_type"]),
  refused("refuses a trigger of another flow", { triggerType: "1" }, ["trigger_type"]),
  refused("refuses a context that is no JSON", { contextJson: "{" }, ["context_json"]),
  refused("refuses a context that is a list", { contextJson: "[]" }, ["context_json"]),
  refused("refuses a context that is null", { contextJson: "null" }, ["context_json"]),
  refused(
    "refuses a context that is deeper",
    { contextJson: nestedContext(nestingLimits.depth + 1) },
    ["context_json"],
  ),
  refused("refuses a context of which no text can be made", { contextJson: nestedContext(9_990) }, [
    "context_json",
  ]),
  refused("refuses a person and a context", { userId: "a", contextJson: "{}" }, ["context_json"]),
]);
