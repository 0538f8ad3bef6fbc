import type { JsonObject } from "@bufbuild/protobuf";
import { mask } from "../src/api/event.ts";
import { nouns } from "../src/domain/nouns.ts";
import type { Contract } from "./contract.ts";
import { payloadSchemas } from "./payload.ts";
import { schemasOfAnswer } from "./schema.ts";

/** The JSON Schema of an event as `ListEvents` answers it, for each event type. */
export function eventSchema(contract: Contract): JsonObject {
  const event = contract.registry.getMessage("iam.event.v1.Event");
  if (event === undefined) throw new TypeError("the contract has no event");
  const envelope = JSON.stringify(schemasOfAnswer(event, contract));
  const types = typeSchemas();
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Event",
    description:
      "An event as `ListEvents` answers it, by its type. Secrets in payloads are masked. " +
      "An event that was erased has no payload.",
    $ref: `#/$defs/${event.typeName}`,
    required: ["aggregate", "sequence", "creationDate", "type"],
    oneOf: Object.keys(types).map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: {
      ...(JSON.parse(envelope.replaceAll("#/components/schemas/", "#/$defs/")) as JsonObject),
      ...types,
    },
  };
}

/** What an event of each type is, besides what all are. */
function typeSchemas(): { readonly [type: string]: JsonObject } {
  const payloads = payloadSchemas();
  const schemas = nouns.flatMap(({ kind, events, secrets }) =>
    Object.entries(events).map(([type, meaning]) => {
      const payload = payloads.get(type);
      if (payload === undefined) throw new TypeError(`${type} has no payload`);
      const properties = {
        aggregate: { properties: { type: named(kind) } },
        type: named(type),
        payload: asAnswered(payload, secrets),
      };
      return [type, { description: `${meaning}.`, properties }] as const;
    }),
  );
  return Object.fromEntries(schemas);
}

function named(type: string): JsonObject {
  return { properties: { type: { const: type } }, required: ["type"] };
}

/** A payload with its secrets masked, and with the application by which its actor acted. */
function asAnswered(payload: JsonObject, secrets: readonly string[]): JsonObject {
  const { properties = {} } = payload as { readonly properties?: JsonObject };
  const masked = Object.keys(properties)
    .filter((name) => secrets.includes(name))
    .map((name) => [name, { const: mask }]);
  return {
    ...payload,
    properties: { ...properties, ...Object.fromEntries(masked), through: { type: "string" } },
  };
}
