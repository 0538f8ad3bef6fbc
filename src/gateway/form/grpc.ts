import { Code, ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { percentEncode, reasonOf } from "../call/errors.ts";
import {
  type Form,
  type MessageForm,
  noBytes,
  nodeHeaders,
  type Packed,
  refusalIn,
  toUniversal,
} from "../call/form.ts";
import { frameBytes, openFrame, writeFrame } from "./frame.ts";

/** What gRPC and gRPC-Web have in common: messages lie in frames. */
export const framedForm = {
  frameField: () => "grpc-encoding",
  acceptField: "grpc-accept-encoding",
  timeoutField: "grpc-timeout",
  timeoutMs: grpcTimeoutMs,
  frameBytes,
  open: openFrame,
} as const satisfies Partial<Form>;

/**
 * gRPC (PROTOCOL-HTTP2.md). The status stands in a trailer even where there is no message: grpc-js
 * overlooks it in a header that does not end the stream, which is what Node makes of an answer
 * whose body is empty.
 */
export function grpcIn(messages: MessageForm): Form {
  const contentType = `application/grpc+${messages.encoding === "json" ? "json" : "proto"}`;
  const form: Form = {
    ...framedForm,
    ...messages,
    contentType,
    name: "grpc",
    offered: "application/grpc+proto",
    answer: (message, headers) => ({
      status: 200,
      headers: framedHeaders(contentType, message, headers),
      body: framed(message),
      trailers: statusOk,
    }),
    refusalBytes: () => noBytes,
    refuse: (error, part, headers) => ({
      status: 200,
      headers: framedHeaders(contentType, part, headers),
      body: undefined,
      trailers: nodeHeaders(withMarks(statusFields(error))),
    }),
    // In place of an answer that may never have a message, because the request does not end.
    amend: ({ header }, error) => {
      const refused = toUniversal(refusalIn(form, error));
      return header === undefined ? refused : { ...refused, header };
    },
  };
  return form;
}

const statusOk = { "grpc-status": "0" };

const unitMs: { readonly [unit: string]: number } = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Milliseconds of a `grpc-timeout`; undefined where it is malformed. */
function grpcTimeoutMs(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  const ms = unitMs[unit];
  return ms === undefined ? undefined : Number(digits) * ms;
}

/** The header fields of an answer in frames. */
export function framedHeaders(
  contentType: string,
  { isGzipAccepted }: Packed,
  headers: object,
): { readonly [name: string]: string } {
  const type = { "content-type": contentType };
  return isGzipAccepted
    ? { ...type, "grpc-encoding": "gzip", ...headers }
    : { ...type, ...headers };
}

function framed({ bytes, isGzip }: Packed): Buffer {
  const body = Buffer.allocUnsafe(frameBytes + bytes.byteLength);
  writeFrame(body, 0, isGzip ? 1 : 0, bytes);
  return body;
}

/**
 * The refusal as gRPC's status fields. A caller of what a gRPC server does not have is told 12; the
 * code of HTTP's 404 would be read as one of an object.
 */
export function statusFields(error: ConnectError): Headers {
  const { rawMessage, metadata, details } = error;
  const code = reasonOf(error) === "UNKNOWN_PATH" ? Code.Unimplemented : error.code;
  const known = new ConnectError(rawMessage, code, metadata);
  known.details = details;
  const fields = new Headers();
  setTrailerStatus(fields, known);
  // Connect leaves out what it takes for its own, for example the encodings that are known.
  for (const [name, value] of metadata) fields.set(name, value);
  return fields;
}

/**
 * Decodes what of `grpc-message` need not be encoded. Connect also encodes marks like the colon,
 * and grpc-js shows those to people as they came.
 */
export function withMarks(trailer: Headers): Headers {
  const encoded = trailer.get("grpc-message");
  if (encoded !== null) trailer.set("grpc-message", percentEncode(decodeURIComponent(encoded)));
  return trailer;
}
