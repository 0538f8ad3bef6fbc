import { isUtf8 } from "node:buffer";
import {
  type DescMethod,
  fromBinary,
  fromJsonString,
  type JsonWriteStringOptions,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { parserLimits } from "../call/elements.ts";
import { failure } from "../call/errors.ts";
import type { MessageForm } from "../call/form.ts";

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** Messages as Protobuf's bytes. */
export const binary: MessageForm = {
  encoding: "binary",
  contentType: "application/proto",
  decode: ({ input }: DescMethod, bytes: Buffer): Message => fromBinary(input, bytes, parserLimits),
  encode: ({ output }: DescMethod, message: Message) => toBinary(output, message),
};

/** Reads JSON as text. Bytes that are none are refused, where connect would replace them. */
export const strictText = {
  decode(bytes: Uint8Array): string {
    if (isUtf8(bytes)) return decoder.decode(bytes);
    const message = "The body is not valid UTF-8: JSON must be sent as UTF-8.";
    throw failure({ reason: "MALFORMED_REQUEST", message });
  },
};

const readOptions = {
  ignoreUnknownFields: false,
  textDecoder: strictText,
  ...parserLimits,
};

/** Answers about what is there have fields with defaults too, so that they can be sent back. */
function writeOptions({ name }: DescMethod): Partial<JsonWriteStringOptions> {
  return { alwaysEmitImplicit: /^(?:Get|List)[A-Z]/.test(name) };
}

/** How the JSON of a method is read and written; Connect finds the decoder of its bytes here. */
export function jsonOptionsOf(method: DescMethod) {
  return { ...readOptions, ...writeOptions(method) };
}

/** Messages as JSON, in which an unknown field is refused. */
export const json: MessageForm = {
  encoding: "json",
  contentType: "application/json",
  decode: ({ input }: DescMethod, bytes: Buffer): Message =>
    fromJsonString(input, strictText.decode(bytes), readOptions),
  encode: (method: DescMethod, message: Message) =>
    encoder.encode(toJsonString(method.output, message, writeOptions(method))),
};
