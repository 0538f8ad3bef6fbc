import {
  create,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescOneof,
  getExtension,
  hasExtension,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { toText } from "@bufbuild/protobuf/txtpb";
import { FileOptionsSchema, FieldDescriptorProto_Label as Label } from "@bufbuild/protobuf/wkt";

/**
 * The source of a proto2 file, written from its descriptor and so without comments, for a package
 * that ships no source. `own` are the options that the file declares for fields. What no such file
 * has yet (services, groups, maps, defaults) is not written: a writer of one compares what it
 * compiles to.
 */
export function sourceOf(file: DescFile, own: readonly DescExtension[]): string {
  const { proto } = file;
  const fieldLine = (field: DescField | DescExtension) => fieldOf(field, own);
  const member = (one: DescField | DescOneof) =>
    one.kind === "oneof" ? block(`oneof ${one.name}`, one.fields.map(fieldLine)) : [fieldLine(one)];
  const message = (one: DescMessage) =>
    block(`message ${one.name}`, [
      ...one.proto.reservedRange.map(({ start, end }) => `reserved ${start} to ${end - 1};`),
      ...one.proto.reservedName.map((name) => `reserved "${name}";`),
      ...one.members.flatMap(member),
      ...one.proto.extensionRange.map(({ start, end }) => `extensions ${start} to ${end - 1};`),
    ]);
  const lines = [
    `syntax = "proto2";`,
    `package ${proto.package};`,
    ...proto.dependency.map((name) => `import "${name}";`),
    ...textOf(FileOptionsSchema, proto.options).map(
      (option) => `option ${option.replace(": ", " = ")};`,
    ),
    ...[
      ...file.extensions.map((one) => block(`extend ${one.extendee.typeName}`, [fieldLine(one)])),
      ...file.messages.map(message),
      ...file.enums.map(enumOf),
    ].flatMap((lines) => ["", ...lines]),
  ];
  return `${lines.join("\n")}\n`;
}

function fieldOf(field: DescField | DescExtension, own: readonly DescExtension[]): string {
  const { proto, number, message, enum: values, scalar } = field;
  const isChoice = field.kind === "field" && field.oneof !== undefined;
  const label = isChoice ? "" : `${Label[proto.label].toLowerCase()} `;
  const type = (message ?? values)?.typeName ?? ScalarType[scalar ?? 0]?.toLowerCase();
  const options = [
    ...(field.deprecated ? ["deprecated = true"] : []),
    ...own.flatMap((option) => ownOption(proto.options, option)),
  ];
  const list = options.length === 0 ? "" : ` [${options.join(", ")}]`;
  return `${label}${type} ${proto.name} = ${number}${list};`;
}

function ownOption(options: Message | undefined, option: DescExtension): readonly string[] {
  if (options === undefined || !hasExtension(options, option) || !option.message) return [];
  const text = textOf(option.message, getExtension(options, option) as Message).join(" ");
  return [`(${option.typeName}) = {${text}}`];
}

function enumOf({ name, values, proto }: DescEnum): readonly string[] {
  return block(`enum ${name}`, [
    ...proto.reservedRange.map(({ start, end }) => `reserved ${start} to ${end};`),
    ...proto.reservedName.map((reserved) => `reserved "${reserved}";`),
    ...values.map((value) => `${value.name} = ${value.number};`),
  ]);
}

function block(head: string, lines: readonly string[]): readonly string[] {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** The lines of a message in the text format. */
function textOf(schema: DescMessage, message: Message | undefined): readonly string[] {
  const lines = toText(schema, message ?? create(schema)).split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
