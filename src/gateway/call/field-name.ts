import { describeViolations, type Rejection } from "../../domain/decision.ts";
import type { Encoding } from "./elements.ts";

/**
 * A rejection with the names of fields as its caller writes them: as in the contract where messages
 * are binary, in lowerCamelCase where they are JSON.
 */
export function nameFields(rejection: Rejection, encoding: Encoding): Rejection {
  if (encoding === "binary" || rejection.violations === undefined) return rejection;
  const violations = rejection.violations.map(({ field, description, names = [] }) => ({
    field: jsonPath(field),
    description: names.reduce(
      (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), jsonPath(name)),
      description,
    ),
  }));
  return { ...rejection, message: describeViolations(violations), violations };
}

/** The path of a field in JSON, by the rule that Protobuf has for names (ProtoJSON format). */
export function jsonPath(path: string): string {
  return path.replaceAll(/_([a-z\d])/g, (_all, letter: string) => letter.toUpperCase());
}
