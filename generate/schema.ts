import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { isSecret } from "../src/api/secret-fields.ts";
import { settingsOf } from "../src/gateway/call/mask.ts";
import { type Contract, commentOf, rulesOf } from "./contract.ts";

/** The schemas of all that unary methods send and answer, by the names of the types. */
export function schemasOf(contract: Contract): { readonly [typeName: string]: JsonObject } {
  const methods = contract.services.flatMap((service) => service.methods);
  const unary = methods.filter(({ methodKind }) => methodKind === "unary");
  const sent = reach(unary.map(({ input }) => input));
  const answered = reach(unary.map(({ output }) => output));
  const schemas = [...new Set([...sent, ...answered])].map((type) => [
    type.typeName,
    typeSchema(type, contract, answered.has(type)),
  ]);
  return Object.fromEntries(schemas.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}

/** The schemas of a message and all that it is made of, as answers have them. */
export function schemasOfAnswer(
  message: DescMessage,
  contract: Contract,
): { readonly [typeName: string]: JsonObject } {
  const types = [...reach([message])];
  return Object.fromEntries(types.map((type) => [type.typeName, typeSchema(type, contract, true)]));
}

function typeSchema(type: DescMessage | DescEnum, contract: Contract, isOpen: boolean): JsonObject {
  return type.kind === "enum" ? enumSchema(type) : messageSchema(type, contract, { isOpen });
}

/** All that messages are made of, themselves included, but the types in `ownForms`. */
function reach(messages: readonly DescMessage[]): ReadonlySet<DescMessage | DescEnum> {
  const found = new Set<DescMessage | DescEnum>();
  const add = (type: DescMessage | DescEnum): void => {
    if (found.has(type) || type.typeName in ownForms) return;
    found.add(type);
    for (const field of type.kind === "enum" ? [] : type.fields) {
      const part = field.message ?? field.enum;
      if (part !== undefined) add(part);
    }
  };
  for (const message of messages) add(message);
  return found;
}

/**
 * The schema of a message in JSON. One that is open may get more fields; of others the service
 * refuses fields that it does not know. `without` names fields that stand elsewhere.
 */
export function messageSchema(
  message: DescMessage,
  contract: Contract,
  { isOpen = false, without = [] }: { isOpen?: boolean; without?: readonly DescField[] } = {},
): JsonObject {
  const fields = message.fields.filter((field) => !without.includes(field));
  const required = fields
    .filter((field) => isNeeded(field, fieldRulesOf(field, contract)))
    .filter((field) => !isMaskable(field, contract))
    .map(({ jsonName }) => jsonName);
  return {
    type: "object",
    description: commentOf(message),
    properties: Object.fromEntries(
      fields.map((field) => [field.jsonName, fieldSchema(field, contract)]),
    ),
    ...(required.length > 0 ? { required } : {}),
    ...choices(message, contract),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}

/** The schema of a field, with what no keyword says in its description. */
export function fieldSchema(field: DescField, contract: Contract): JsonObject {
  const rules = fieldRulesOf(field, contract);
  const [own, ofItems] = [
    keywordsOf(rules.filter((rule) => !rule.startsWith(items))),
    keywordsOf(
      rules.filter((rule) => rule.startsWith(items)).map((rule) => rule.slice(items.length)),
    ),
  ];
  const texts = [
    commentOf(field),
    ...(isNeeded(field, rules) && isMaskable(field, contract) ? [masked] : []),
    ...[...own.unsaid, ...ofItems.unsaid].map((rule) => `Rule of the contract: ${rule}.`),
  ];
  const type =
    field.fieldKind === "list"
      ? { type: "array", items: { ...valueSchema(field), ...ofItems.said } }
      : valueSchema(field);
  return {
    ...type,
    ...own.said,
    ...(isSecret(field) ? { format: "password" } : {}),
    description: texts.join(" "),
    ...(field.deprecated ? { deprecated: true } : {}),
  };
}

const items = "repeated.items.";
const masked = "It is required unless `updateMask` leaves it out.";

function fieldRulesOf(field: DescField, { registry }: Contract): readonly string[] {
  return rulesOf(field, "buf.validate.field", registry);
}

/** Whether the service refuses a message whose field is empty, if no mask leaves it out. */
function isNeeded(field: DescField, rules: readonly string[]): boolean {
  if (rules.includes("required")) return true;
  const canBeLeftOut = field.proto.proto3Optional || field.oneof || rules.some(isIgnored);
  return !canBeLeftOut && rules.some((rule) => /^(?:string|bytes|repeated)\.min_\w+ /.test(rule));
}

/** Whether a mask of the request may leave the field out. */
function isMaskable(field: DescField, { services }: Contract): boolean {
  const methods = services.flatMap((service) => service.methods);
  const method = methods.find(({ input }) => input === field.parent);
  return method !== undefined && (settingsOf(method)?.includes(field) ?? false);
}

/** A rule by which others do not hold for what is empty: then no keyword can say a minimum. */
function isIgnored(rule: string): boolean {
  return rule.startsWith("ignore ");
}

/** What the rules are as keywords, and those for which there is none. */
function keywordsOf(rules: readonly string[]): {
  readonly said: JsonObject;
  readonly unsaid: readonly string[];
} {
  const canBeEmpty = rules.some(isIgnored);
  const found = rules.map((rule) => {
    const [name = "", value = ""] = rule.split(" ");
    const isSaid = !(canBeEmpty && name.includes(".min_"));
    return [rule, isSaid ? keywords[name]?.(Number(value)) : undefined] as const;
  });
  return {
    said: Object.assign({}, ...found.map(([, keyword]) => keyword ?? {})),
    // An expression is no sentence: the comment has what it says.
    unsaid: found
      .filter(([rule, keyword]) => keyword === undefined && !rule.startsWith("cel."))
      .map(([rule]) => rule),
  };
}

/** The keyword of each rule that has one; `required` and the values of enums stand elsewhere. */
const keywords: { readonly [rule: string]: (value: number) => JsonObject } = {
  "string.min_len": (minLength) => ({ minLength }),
  "string.max_len": (maxLength) => ({ maxLength }),
  "bytes.min_len": (bytes) => ({ minLength: Math.ceil((bytes * 4) / 3) }),
  "bytes.max_len": (bytes) => ({ maxLength: Math.ceil(bytes / 3) * 4 }),
  "repeated.min_items": (minItems) => ({ minItems }),
  "repeated.max_items": (maxItems) => ({ maxItems }),
  "uint32.lte": (maximum) => ({ maximum }),
  "enum.defined_only": () => ({}),
  required: () => ({}),
};

function valueSchema({ message, enum: values, scalar, parent, name }: DescField): JsonObject {
  const type = message ?? values;
  if (type !== undefined) return ownForms[type.typeName] ?? { $ref: refTo(type) };
  const schema = scalars[scalar ?? 0];
  if (schema === undefined) throw new TypeError(`${parent.typeName}.${name} has no schema yet`);
  return schema;
}

/** Where the schema of a type stands in the document. */
export function refTo({ typeName }: DescMessage | DescEnum): string {
  return `#/components/schemas/${typeName}`;
}

const scalars: { readonly [scalar: number]: JsonObject } = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
  [ScalarType.UINT32]: { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 },
  [ScalarType.UINT64]: { type: "string", pattern: "^[0-9]+$" },
};

/** The types that JSON has a form of its own for. */
const ownForms: { readonly [typeName: string]: JsonObject } = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
};

/** What is said of the oneofs of a message: at most one field of each, or exactly one. */
function choices(message: DescMessage, { registry }: Contract): JsonObject {
  const oneofs = message.oneofs.filter((oneof) =>
    oneof.fields.some(({ proto }) => !proto.proto3Optional),
  );
  const isMust = (oneof: DescOneof) =>
    rulesOf(oneof, "buf.validate.oneof", registry).includes("required");
  const [only] = oneofs;
  if (only !== undefined && only.fields.length === message.fields.length) {
    return { maxProperties: 1, ...(isMust(only) ? { minProperties: 1 } : {}) };
  }
  // Generators of clients make nothing of `not`, and would make a type of each choice otherwise.
  const anyOf = oneofs.flatMap((oneof) => {
    const names = oneof.fields.map(({ jsonName }) => jsonName);
    const pairs = names.flatMap((name, at) =>
      names.slice(at + 1).map((other) => ({ required: [name, other] })),
    );
    const none = { not: { anyOf: names.map((name) => ({ required: [name] })) } };
    return isMust(oneof) ? [...pairs, none] : pairs;
  });
  return anyOf.length > 0 ? { not: { anyOf } } : {};
}

function enumSchema(type: DescEnum): JsonObject {
  const values = type.values.map((value) => `- \`${value.name}\`: ${commentOf(value)}`);
  return {
    type: "string",
    description: [commentOf(type), ...values].join("\n"),
    enum: type.values.map(({ name }) => name),
  };
}
