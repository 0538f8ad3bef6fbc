import type { DescEnum, DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { DurationSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { type Rejection, rejectionOfFields, type Violation } from "../domain/decision.ts";
import * as texts from "./violation-texts.ts";

/**
 * Explains what Protobuf-ES and V8 find wrong with a request in JSON, in our words and with nothing
 * of what was sent but names of fields, which are those of JSON. Where several paths could be meant
 * the field is empty. A name that an enum does not have is refused as a number is that it does not
 * have.
 */
export function explainJson(schema: DescMessage, error: Error): Rejection {
  const rejection = rejectionOfFields([violationOf(schema, error)]);
  return isNoValueOfEnum(error) ? rejection : { ...rejection, reason: "MALFORMED_REQUEST" };
}

function isNoValueOfEnum({ message, cause }: Error): boolean {
  if (!isFieldError(cause)) return message.startsWith("cannot decode enum ");
  const field = cause.field();
  const isAboutValue = !/^expected Array|^set multiple times$/.test(cause.message);
  return field.kind === "field" && field.enum !== undefined && isAboutValue;
}

function violationOf(schema: DescMessage, error: Error): Violation {
  const { message, cause } = error;
  if (error instanceof RangeError) return explainDuration(schema);
  if (isFieldError(cause)) return explainField(schema, cause.field(), cause.message);
  const [, typeName, said = ""] = decodeError.exec(message) ?? [];
  if (typeName === undefined) return { field: "", description: texts.misfit };
  if (cause instanceof Error) return { field: "", description: texts.noJson(cause.message) };
  const depth = /^maximum recursion depth of (\d+) reached$/.exec(said)?.[1];
  if (depth !== undefined) return { field: "", description: texts.tooDeep(Number(depth)) };
  const twice = /^duplicate object key "(.*)"$/s.exec(said)?.[1];
  if (twice !== undefined) return explainTwice(schema, twice);

  const places = placesOf(schema, (desc) => desc.kind !== "field" && desc.typeName === typeName);
  const type = places[0]?.desc;
  if (type === undefined || type.kind === "field") return { field: "", description: texts.misfit };
  const key = /^key "(.*)" is unknown$/s.exec(said)?.[1];
  if (key === undefined) return violationAt(places, type.name, texts.wrongType(type, said));
  const fields = type.kind === "message" ? type.fields : [];
  if (!nameLike.test(key)) return violationAt(places, type.name, texts.unnamedField(fields));
  const named = places.map(({ path, desc }) => ({ path: below(path, key), desc }));
  return violationAt(named, key, texts.unknownField(key, fields));
}

const decodeError = /^cannot decode (?:message|enum) (\S+) from JSON:? (.*)$/s;

/** A key that may be the name of a field is repeated in a refusal, any other is not. */
const nameLike = /^[A-Za-z_]\w{0,39}$/;

function explainField(schema: DescMessage, target: DescField | DescOneof, said: string): Violation {
  const [, first, second] = /^oneof set multiple times by (\w+) and (\w+)$/.exec(said) ?? [];
  const field = target.kind === "field" ? target : target.fields.find((it) => it.name === second);
  if (field === undefined) return { field: "", description: texts.misfit };
  const places = placesOf(schema, (desc) => desc === field);
  if (first !== undefined) {
    const rival = field.parent.fields.find(({ name }) => name === first) ?? field;
    return violationAt(places, field.jsonName, texts.rival(rival.jsonName));
  }
  const [item, number] = /^list item (?:#(\d+))?/.exec(said) ?? [];
  const entry = item === undefined ? "" : `[${number === undefined ? "" : Number(number) - 1}]`;
  const entries = places.map(({ path, desc }) => ({ path: path + entry, desc }));
  return violationAt(entries, field.jsonName + entry, texts.wrongValue(field, said));
}

/** Protobuf-ES fails so where a duration has more than nine decimals. */
function explainDuration(schema: DescMessage): Violation {
  const { typeName, name } = DurationSchema;
  const places = placesOf(schema, (desc) => desc.kind === "message" && desc.typeName === typeName);
  return violationAt(places, name, texts.wrongType(DurationSchema, ""));
}

/** Where it was, nobody says: the path is told where only one field has the name. */
function explainTwice(schema: DescMessage, key: string): Violation {
  const places = placesOf(schema, (desc) =>
    desc.kind === "field" ? desc.name === key || desc.jsonName === key : desc === StructSchema,
  );
  // Any names may stand in a Struct.
  const isCertain = places.every(({ desc }) => desc.kind === "field");
  const name = nameLike.test(key) ? key : "a name";
  return violationAt(isCertain ? places : [], name, "is given twice");
}

function violationAt(places: readonly Place[], name: string, description: string): Violation {
  const [place, ...others] = places;
  return place === undefined || others.length > 0
    ? { field: "", description: `${name} ${description}` }
    : { field: place.path, description };
}

type Desc = DescMessage | DescEnum | DescField;

/** A message, an enum or a field of a request, and the path that leads there. */
interface Place {
  readonly path: string;
  readonly desc: Desc;
}

function placesOf(schema: DescMessage, isMeant: (desc: Desc) => boolean): readonly Place[] {
  return [...placesIn(schema)].filter(({ desc }) => isMeant(desc));
}

/** Lists a message within itself once more, so that several paths lead to what is in it. */
function* placesIn(
  schema: DescMessage,
  path = "",
  outer: readonly DescMessage[] = [],
): Generator<Place> {
  yield { path, desc: schema };
  if (schema.typeName.startsWith("google.protobuf.")) return;
  for (const field of schema.fields) {
    const at = below(path, field.jsonName);
    const entry = field.fieldKind === "list" ? `${at}[]` : at;
    yield { path: at, desc: field };
    if (field.enum) yield { path: entry, desc: field.enum };
    const { message } = field;
    if (!message || outer.filter((one) => one === message).length > 1) continue;
    yield* placesIn(message, entry, [...outer, schema]);
  }
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
