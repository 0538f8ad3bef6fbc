import { getOption, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { http } from "../../gen/google/api/annotations_pb.js";
import kept from "../../generate/examples.json" with { type: "json" };
import type { Case } from "../harness/cases.ts";
import { isFull } from "../harness/extent.ts";
import { gathered } from "../harness/gathered.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type PreparedCall, prepare, send, shapeOf, withNumberedIds } from "./call.ts";
import { answerProblems, bodyProblems, operations, type Place } from "./document.ts";
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

  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  test.each(rows)("the example of $path is answered as described", async ({ one, example }) => {
    if (one === undefined) throw new Error("no row makes this example any more");
    const sent = (json: JsonObject) => (example.varies ? shapeOf(json) : withNumberedIds(json));
    for (const place of placesOf(one)) {
      const call = await prepare(one, server);
      expect(sent(call.request)).toEqual(sent(example.request));
      const { url, body } = requestTo(place, one, call);
      expect(body === undefined ? [] : bodyProblems(place, body)).toEqual([]);
      const answer = await send(server.url + url, {
        verb: place.verb.toUpperCase(),
        body,
        ...call,
      });
      expect({ status: answer.status, problems: answerProblems(place, answer) }).toEqual({
        status: 200,
        problems: [],
      });
    }
  });

  test.each(rows.slice(0, 1))("refusals of $path are as described", async ({ one }) => {
    const [json] = placesOf(one!);
    const { headers } = await prepare(one!, server);
    const refused = [
      [{}, { authorization: "Bearer wrong" }, 401],
      [{ unknown: 1 }, headers, 400],
      [{}, headers, 400],
    ] as const;
    for (const [body, sent, status] of refused) {
      const answer = await send(server.url + json!.path, { verb: "POST", body, headers: sent });
      expect(answer.status).toBe(status);
      expect(answerProblems(json!, answer)).toEqual([]);
    }
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
