import { getOption, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { http } from "../../gen/google/api/annotations_pb.js";
import kept from "../../generate/examples.json" with { type: "json" };
import type { Case } from "../harness/cases.ts";
import { isFull } from "../harness/extent.ts";
import { gathered } from "../harness/gathered.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type PreparedCall, prepare, send, settled, shapeOf } from "./call.ts";
import { answerProblems, bodyProblems, eventProblems, operations, type Place } from "./document.ts";
import { type KeptExample, record } from "./record.ts";

// Each example of the document is the call of a row of test/cases. Here that row makes it anew on
// the JSON path and on the REST path. `IAM_TEST_RECORD=1` records all examples first.
if (process.env.IAM_TEST_RECORD === "1") {
  test("records the examples", record, 600_000);
} else {
  const examples = Object.entries(kept as { readonly [path: string]: KeptExample });
  // Other rows fail by the same mistakes, and each file of rows takes time to load.
  const chosen = isFull ? examples : examples.filter(([path]) => path.endsWith("/AddProject"));
  const cases = await gathered([...new Set(chosen.map(([, { file }]) => file))]);
  const rows = chosen.map(([path, example]) => {
    const one = cases.find(({ method, name }) => name === example.row && nameOf(method) === path);
    return { path, example, one };
  });

  /** The types of the events that the calls have left, each of which its schema has allowed. */
  const typesLeft = new Set<string>();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** The events after a position, as the service tells them. */
  const eventsAfter = async (position: bigint): Promise<readonly JsonObject[]> => {
    const { path } = operations.get("AdminService_ListEvents_JSON")!;
    const headers = { authorization: `Bearer ${server.admin.token}` };
    const body = { sequence: String(position), asc: true };
    const { json } = await send(server.url + path, { verb: "POST", body, headers });
    return (json.events ?? []) as JsonObject[];
  };

  test.each(rows)("the example of $path is answered as described", async ({ one, example }) => {
    if (one === undefined) throw new Error("no row makes this example any more");
    const same = (json: JsonObject) => (example.varies ? shapeOf(json) : json);
    for (const place of placesOf(one)) {
      const call = await prepare(one, server);
      expect(same(settled(call.request, call.unique))).toEqual(same(example.request));
      const { url, body } = requestTo(place, one, call);
      expect(body === undefined ? [] : bodyProblems(place, body)).toEqual([]);
      const before = await server.head();
      const verb = place.verb.toUpperCase();
      const answer = await send(server.url + url, { verb, body, headers: call.headers });
      expect(answerProblems(place, answer)).toEqual([]);
      expect(answer.status).toBe(200);
      for (const event of await eventsAfter(before)) {
        expect(eventProblems(event)).toEqual([]);
        typesLeft.add((event.type as { readonly type: string }).type);
      }
    }
  });

  test("the examples leave events of many types, all as their schema says", () => {
    expect(typesLeft.size).toBeGreaterThanOrEqual(isFull ? 100 : 1);
  });

  test("refusals are as described", async () => {
    const place = operations.get("ManagementService_AddProject")!;
    const { token } = server.admin;
    const refused = [
      [{ name: "A" }, "wrong", 401],
      [{ name: "A", unknown: 1 }, token, 400],
      [{}, token, 400],
    ] as const;
    for (const [body, sent, status] of refused) {
      const headers = { authorization: `Bearer ${sent}` };
      const answer = await send(server.url + place.path, { verb: "POST", body, headers });
      expect(answer.status).toBe(status);
      expect(answerProblems(place, answer)).toEqual([]);
    }
  });

  test("an event that is none of its type is not as the schema says", () => {
    const event = {
      aggregate: { type: { type: "project" } },
      sequence: "1",
      creationDate: "2026-01-01T00:00:00Z",
    };
    const added = { ...event, type: { type: "project.added" } };
    expect(eventProblems({ ...added, payload: { name: "A" } })).not.toEqual([]);
    expect(eventProblems({ ...event, type: { type: "project.unknown" } })).not.toEqual([]);
    expect(eventProblems({ ...event, type: { type: "project.removed" }, payload: {} })).toEqual([]);
  });
}

function nameOf(method: Case["method"]): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Where the document has the method: its JSON path, and its REST path if it has one. */
function placesOf({ method }: Case): readonly Place[] {
  const id = `${method.parent.name}_${method.name}`;
  return [`${id}_JSON`, ...(hasOption(method, http) ? [id] : [])].map(
    (one) => operations.get(one)!,
  );
}

/** The path and the body with which the document has a request sent to a place. */
function requestTo(
  { path, operation }: Place,
  { method }: Case,
  { request }: PreparedCall,
): { readonly url: string; readonly body?: JsonObject | undefined } {
  if (!path.includes("{"))
    return operation.requestBody ? { url: path, body: request } : { url: path };
  const body = { ...request };
  const names = [...`${getOption(method, http).pattern.value}`.matchAll(/\{(\w+)/g)];
  const url = path.replaceAll(/\{\w+\}/g, () => {
    const name = names.shift()?.[1];
    const { jsonName } = method.input.fields.find((field) => field.name === name)!;
    const value = String(body[jsonName] ?? "");
    delete body[jsonName];
    return encodeURIComponent(value);
  });
  return operation.requestBody ? { url, body } : { url };
}
