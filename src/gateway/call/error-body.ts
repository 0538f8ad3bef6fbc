import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";

/** The error body of plain JSON callers: code, message and details with their `@type`. */
export function errorBody({ code, rawMessage: message, details }: ConnectError): Uint8Array {
  const typed = details.map((detail) => {
    if (!("type" in detail)) throw new TypeError("only errors of ours are told");
    return detailJson(detail.type, toObject(detail.debug));
  });
  return new TextEncoder().encode(JSON.stringify({ code, message, details: typed }));
}

function detailJson(type: string, json: JsonObject) {
  if (!Array.isArray(json.fieldViolations)) return { "@type": typeUrl(type), ...json };
  // Protobuf's JSON leaves out what is empty, and so the path of the message itself.
  const fieldViolations = json.fieldViolations.map((violation) => ({
    field: "",
    ...toObject(violation),
  }));
  return { "@type": typeUrl(type), fieldViolations };
}

function toObject(json: JsonValue | undefined): JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : {};
}

function typeUrl(typeName: string): string {
  return `type.googleapis.com/${typeName}`;
}
