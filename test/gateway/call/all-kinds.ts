import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_duration,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

/** One more than are listed. */
export const enumNames = Array.from({ length: 21 }, (_none, at) => `E${at}`);

/** A message with a field of every kind that JSON can get wrong. */
export const allKinds = build();

function build(): DescMessage {
  const { STRING, BOOL, BYTES, DOUBLE, FLOAT, INT32, SINT32, SFIXED32, UINT32, FIXED32 } = Type;
  const { INT64, SINT64, SFIXED64, UINT64, FIXED64, ENUM, MESSAGE } = Type;
  const scalars = Object.entries({
    ...{ STRING, BOOL, BYTES, DOUBLE, FLOAT, INT32, SINT32, SFIXED32, UINT32, FIXED32 },
    ...{ INT64, SINT64, SFIXED64, UINT64, FIXED64 },
  }).map(([name, type]) => ({ name: name.toLowerCase(), type }));
  const message = (name: string, typeName: string) => ({ name, type: MESSAGE, typeName });
  const fields = [
    ...scalars,
    { name: "list", type: STRING, label: Label.REPEATED },
    { name: "enum", type: ENUM, typeName: ".test.Enum" },
    { name: "enums", type: ENUM, typeName: ".test.Enum", label: Label.REPEATED },
    message("none", ".test.None"),
    message("self", ".test.All"),
    { ...message("selves", ".test.All"), label: Label.REPEATED },
    { ...message("map", ".test.All.MapEntry"), label: Label.REPEATED },
    message("time", ".google.protobuf.Timestamp"),
    message("duration", ".google.protobuf.Duration"),
    { name: "one_text", type: STRING, oneofIndex: 0 },
    { name: "one_enum", type: ENUM, typeName: ".test.Enum", oneofIndex: 0 },
    { ...message("one_self", ".test.All"), oneofIndex: 0 },
  ].map((field, index) => ({
    ...field,
    number: index + 1,
    jsonName: field.name.replace(/_(.)/, (_all, letter: string) => letter.toUpperCase()),
  }));
  const entry = [
    { name: "key", number: 1, type: STRING, jsonName: "key" },
    { name: "value", number: 2, type: STRING, jsonName: "value" },
  ];
  const file = {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    dependency: ["google/protobuf/timestamp.proto", "google/protobuf/duration.proto"],
    enumType: [{ name: "Enum", value: enumNames.map((name, number) => ({ name, number })) }],
    messageType: [
      { name: "None" },
      {
        name: "All",
        field: fields,
        oneofDecl: [{ name: "one" }],
        nestedType: [{ name: "MapEntry", field: entry, options: { mapEntry: true } }],
      },
    ],
  };
  const wellKnown = [file_google_protobuf_timestamp, file_google_protobuf_duration];
  const set = { file: [...wellKnown.map(({ proto }) => proto), file] };
  return createFileRegistry(create(FileDescriptorSetSchema, set)).getMessage("test.All")!;
}
