import type { JsonValue } from "@bufbuild/protobuf";

/** JSON with a line for each member down to a depth, so that changes can be merged. */
export function linesOf(value: JsonValue, depth: number): string {
  if (depth === 0 || value === null || typeof value !== "object" || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${linesOf(member, depth - 1)}`,
  );
  return `{\n${members.join(",\n")}\n}`;
}
