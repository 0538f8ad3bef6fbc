import {
  type DescMethod,
  fromBinary,
  fromJsonString,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { strictText } from "../body.ts";
import { parserLimits } from "../elements.ts";
import { httpStatusOf } from "../errors.ts";
import { nodeHeaders, type Packed, type WireForm } from "./form.ts";

const text = new TextEncoder();

/** What Connect's unary calls have in common: the body is the message, an error is JSON. */
const unframed = {
  dialect: "connect",
  acceptField: "accept-encoding",
  timeoutField: "connect-timeout-ms",
  timeoutMs: (value: string) => (/^\d{1,10}$/.test(value) ? Number(value) : undefined),
  frameBytes: 0,
  open: (body: Buffer) => body,
  refusalBytes: (error) => errorToJsonBytes(error, undefined),
  refuse: (error, part, headers) => ({
    status: httpStatusOf(error),
    headers: sized("application/json", part, { ...headers, ...nodeHeaders(error.metadata) }),
    body: part.bytes,
  }),
} satisfies Partial<WireForm>;

/** Connect with Protobuf messages. */
export const connectProto: WireForm = {
  ...unframed,
  encoding: "binary",
  decode: ({ input }, bytes) => fromBinary(input, bytes, parserLimits),
  encode: ({ output }, message) => toBinary(output, message),
  answer: (message, headers) => ({
    status: 200,
    headers: sized("application/proto", message, headers),
    body: message.bytes,
  }),
};

/** Connect with JSON messages. */
export const connectJson: WireForm = {
  ...unframed,
  encoding: "json",
  decode: decodeJson,
  encode: encodeJson,
  answer: (message, headers) => ({
    status: 200,
    headers: sized("application/json", message, headers),
    body: message.bytes,
  }),
};

/** The message in a JSON text. Throws where it is none. */
export function decodeJson({ input }: DescMethod, bytes: Buffer): Message {
  return fromJsonString(input, strictText.decode(bytes), {
    ignoreUnknownFields: false,
    ...parserLimits,
  });
}

export function encodeJson({ output }: DescMethod, message: Message): Uint8Array {
  return text.encode(toJsonString(output, message));
}

/** The header fields of an answer that is one piece. */
export function sized(contentType: string, { bytes, isGzip }: Packed, headers: object) {
  return {
    "content-type": contentType,
    ...(isGzip ? { "content-encoding": "gzip" } : {}),
    "content-length": bytes.byteLength,
    ...headers,
  };
}
