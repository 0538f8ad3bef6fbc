import { create, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { v7 } from "uuid";
import type { Case } from "../harness/cases.ts";
import { createClients } from "../harness/clients.ts";
import { givenProject, type TestServer } from "../harness/server.ts";

/** A call that a row of a table is about, ready to be made by its JSON. */
export interface PreparedCall {
  readonly request: JsonObject;
  readonly headers: { readonly [name: string]: string };
  /** The name that nothing else has. */
  readonly unique: string;
  /** Whether the row expects an answer. */
  readonly isAnswered: boolean;
}

/** Prepares what a row is about on the server, and makes its call not yet. */
export async function prepare(one: Case, server: TestServer): Promise<PreparedCall> {
  const unique = v7();
  const project = await givenProject(server, server.admin.organization, `project ${unique}`);
  const clients = createClients(server.url);
  const client = clients.find(({ name }) => name === "json")!;
  try {
    const prepared = await one.run({
      server,
      client: client.name,
      project,
      unique,
      call: (method, init, token = server.admin.token) =>
        client.call(method, create(method.input, init) as Message, bearer(token)),
    });
    const { request, token = server.admin.token, headers, expected } = prepared;
    return {
      request: toJson(one.method.input, request) as JsonObject,
      headers: { ...bearer(token), "idempotency-key": unique, ...headers },
      unique,
      isAnswered: "ok" in expected,
    };
  } finally {
    for (const { close } of clients) close();
  }
}

function bearer(token: string): { readonly [name: string]: string } {
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

/** What a call with a JSON body, or with none, is answered. */
export async function send(
  url: string,
  {
    verb,
    body,
    headers,
  }: { verb: string; body?: JsonObject | undefined; headers: PreparedCall["headers"] },
): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method: verb,
    headers: { ...headers, ...type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as JsonObject };
}

/** JSON with a name for people, and ids that are numbered as they come, so that two runs agree. */
export function settled<Json extends JsonObject>(json: Json, unique: string): Json {
  const ids = new Map<string, string>();
  const text = JSON.stringify(json)
    .replaceAll(unique, "example")
    .replaceAll(uuid, (id) => {
      const known = ids.get(id) ?? `01a2014c-7e4a-7000-8000-${`${ids.size + 1}`.padStart(12, "0")}`;
      ids.set(id, known);
      return known;
    });
  return JSON.parse(text) as Json;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The same with each value as the name of its kind: of what is random, the names alone agree. */
export function shapeOf(json: JsonValue): JsonValue {
  if (json === null || typeof json !== "object") return typeof json;
  if (Array.isArray(json)) return json.map(shapeOf);
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, shapeOf(one)]));
}
