import { type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Case, prepareCase, type ReadyCall } from "../harness/cases.ts";
import { createClients } from "../harness/clients.ts";
import type { TestServer } from "../harness/server.ts";

/** A call that a row of a table is about, ready to be made by its JSON. */
export interface PreparedCall extends Omit<ReadyCall, "request"> {
  readonly request: JsonObject;
}

/** Prepares what a row is about on the server, and makes its call not yet. */
export async function prepare(one: Case, server: TestServer): Promise<PreparedCall> {
  const clients = createClients(server.url);
  try {
    const client = clients.find(({ name }) => name === "json")!;
    const ready = await prepareCase(one, client, server);
    return { ...ready, request: toJson(one.method.input, ready.request) as JsonObject };
  } finally {
    for (const { close } of clients) close();
  }
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
