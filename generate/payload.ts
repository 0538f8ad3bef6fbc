import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";
import { nouns } from "../src/domain/nouns.ts";

const root = join(import.meta.dirname, "..");
const list = join(root, "src/domain/nouns.ts");

/** The schema of the payload of each event type, from its TypeScript type in the domain. */
export function payloadSchemas(): ReadonlyMap<string, JsonObject> {
  const api = new API({ cwd: root });
  try {
    const config = join(root, "tsconfig.json");
    const { checker } = required(api.updateSnapshot({ openProjects: [config] }).getProject(config));
    return new Map(eventTypes(checker).flatMap((event) => schemasOf(event, checker)));
  } finally {
    api.close();
  }
}

/** The types of the events of each noun, as the list of nouns names them. */
function eventTypes(checker: Checker): readonly Type[] {
  const names = [...readFileSync(list, "utf8").matchAll(/^ {2}\w+(?=,$)/gm)];
  if (names.length !== nouns.length) throw new TypeError("the list of nouns is written otherwise");
  return names.flatMap(({ index }) => {
    const noun = required(checker.getTypeAtPosition(list, index + 2));
    if (!noun.isTypeReference()) throw new TypeError("a noun has no type of its own");
    const events = required(checker.getTypeArguments(noun)[1]);
    return membersOf(events);
  });
}

function schemasOf(event: Type, checker: Checker): readonly (readonly [string, JsonObject])[] {
  const type = required(propertyOf(event, "type", checker));
  const payload = createSchemas(checker)(required(propertyOf(event, "payload", checker)));
  return membersOf(type).map((one) => [nameOf(one), payload]);
}

function propertyOf(type: Type, name: string, checker: Checker): Type | undefined {
  const symbol = checker.getPropertyOfType(type, name);
  return symbol && checker.getTypeOfSymbol(symbol);
}

function nameOf(type: Type): string {
  if (!type.isStringLiteralType()) throw new TypeError("an event type is not named");
  return type.value;
}

/** From a type of plain JSON to its schema; throws a TypeError for what is none. */
function createSchemas(checker: Checker): (type: Type) => JsonObject {
  const schema = (type: Type): JsonObject => {
    const { flags } = type;
    const simple = simpleSchemas.find(([flag]) => flags & flag)?.[1];
    if (simple !== undefined) return simple;
    if (type.isLiteralType()) return { const: type.value as JsonValue };
    if (type.isUnionType()) return union(membersOf(type));
    if (checker.isArrayType(type) && type.isTypeReference()) {
      return { type: "array", items: schema(required(checker.getTypeArguments(type)[0])) };
    }
    if (!type.isObjectType() && !type.isIntersectionType()) {
      throw new TypeError(`${checker.typeToString(type)} is not plain JSON`);
    }
    return object(type);
  };
  const union = (types: readonly Type[]): JsonObject => {
    const there = types.filter(({ flags }) => !(flags & TypeFlags.Undefined)).map(schema);
    const values = there.flatMap((one) => ("const" in one ? [one.const ?? null] : []));
    if (`${values.toSorted()}` === "false,true") return { type: "boolean" };
    if (values.length === there.length) return { enum: values };
    return there.length === 1 ? required(there[0]) : { anyOf: there };
  };
  const object = (type: Type): JsonObject => {
    const members = checker
      .getPropertiesOfType(type)
      .map((symbol) => ({ symbol, type: required(checker.getTypeOfSymbol(symbol)) }))
      .filter(({ type: { flags } }) => !(flags & TypeFlags.Undefined));
    const must = members.filter(({ symbol: { flags } }) => !(flags & SymbolFlags.Optional));
    const properties = members.map(({ symbol, type: its }) => {
      const description = symbol.getDocumentationComment(checker).replaceAll("\n", " ");
      return [symbol.name, { ...schema(its), ...(description === "" ? {} : { description }) }];
    });
    const more = checker.getIndexInfosOfType(type)[0]?.valueType;
    const isMore = more !== undefined && !(more.flags & TypeFlags.Never);
    return {
      type: "object",
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
      ...(must.length > 0 ? { required: must.map(({ symbol }) => symbol.name) } : {}),
      ...(isMore ? { additionalProperties: schema(more) } : {}),
    };
  };
  return schema;
}

const simpleSchemas: readonly (readonly [number, JsonObject])[] = [
  [TypeFlags.String | TypeFlags.TemplateLiteral, { type: "string" }],
  [TypeFlags.Number, { type: "number" }],
  [TypeFlags.Boolean, { type: "boolean" }],
  [TypeFlags.Null, { type: "null" }],
  [TypeFlags.NonPrimitive, { type: "object" }],
  [TypeFlags.Unknown, {}],
];

/** The types of a union, or the type alone. */
function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? (type.getTypes() ?? []) : [type];
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("TypeScript does not know a type");
  return value;
}
