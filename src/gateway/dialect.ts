import { Code, ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { errorBody, httpStatusOf, percentEncode, reasonOf } from "./errors.ts";

/** How one kind of caller is spoken to where the protocols differ. */
export interface Dialect {
  readonly name: "grpc" | "grpc-web" | "connect" | "json";
  /** The content type that every RPC path answers in this dialect. */
  readonly contentType: string;
  /** The header that says how frames are compressed; undefined where the body has none. */
  frameEncoding(contentType: string): string | undefined;
  /** The whole answer that refuses a request. */
  refuse(error: ConnectError): Answer;
  /** What connect has made of a refusal, with all that this dialect says of it. */
  amend(answered: UniversalServerResponse, error: ConnectError): UniversalServerResponse;
}

/** A whole answer to an HTTP request: the body is complete. */
export interface Answer {
  readonly status: number;
  readonly header: Headers;
  readonly body: Uint8Array;
  /** The fields behind the body; only gRPC has them. */
  readonly trailer?: Headers;
}

/** The answer as connect hands it to its adapters. */
export function toUniversal({ body, ...rest }: Answer): UniversalServerResponse {
  return { ...rest, body: createAsyncIterable([body]) };
}

/**
 * Connect clients say so in a header and read Connect's own error body. Every other JSON request
 * gets plain JSON with numbers for codes.
 */
export function dialectOf(header: Headers): Dialect {
  const contentType = header.get("content-type") ?? "";
  if (/^application\/grpc-web(?![a-z])/i.test(contentType)) return grpcWeb;
  if (/^application\/grpc(?![a-z-])/i.test(contentType)) return grpc;
  return header.has("connect-protocol-version") ? connect : json;
}

/**
 * Decodes what of `grpc-message` need not be encoded. Connect also encodes marks like the colon,
 * and grpc-js shows those to people as they came.
 */
export function decodeMarks(trailer: Headers): void {
  const encoded = trailer.get("grpc-message");
  if (encoded !== null) trailer.set("grpc-message", percentEncode(decodeURIComponent(encoded)));
}

/**
 * The status stands in a trailer even where there is no message: grpc-js overlooks it in a header
 * that does not end the stream, which is what Node makes of an answer whose body is empty.
 */
const grpc: Dialect = {
  name: "grpc",
  contentType: "application/grpc+proto",
  frameEncoding: () => "grpc-encoding",
  refuse: (error) => ({
    status: 200,
    header: new Headers({ "content-type": "application/grpc" }),
    body: new Uint8Array(),
    trailer: statusFields(error),
  }),
  // In place of an answer that may never have a message, because the request does not end.
  amend: ({ header = new Headers() }, error) => toUniversal({ ...grpc.refuse(error), header }),
};

/** Without messages the status may stand in the header. */
const grpcWeb: Dialect = {
  name: "grpc-web",
  contentType: "application/grpc-web+proto",
  frameEncoding: () => "grpc-encoding",
  refuse(error) {
    const header = statusFields(error);
    header.set("content-type", "application/grpc-web+proto");
    return { status: 200, header, body: new Uint8Array() };
  },
  amend: (answered) => answered,
};

const connect: Dialect = {
  name: "connect",
  contentType: "application/json",
  frameEncoding: connectFrameEncoding,
  refuse: (error) => refuseInBody(error, errorToJsonBytes(error, undefined)),
  // A stream answers 200 and has the error in its last frame.
  amend: (answered, error) =>
    answered.status === 200 ? answered : { ...answered, status: httpStatusOf(error) },
};

const json: Dialect = {
  name: "json",
  contentType: "application/json",
  frameEncoding: connectFrameEncoding,
  refuse: (error) => refuseInBody(error, errorBody(error)),
  amend: (answered, error) =>
    answered.status === 200 ? answered : toUniversal(json.refuse(error)),
};

/** Only the streams of Connect have frames. */
function connectFrameEncoding(contentType: string): string | undefined {
  return /^application\/connect\+/i.test(contentType) ? "connect-content-encoding" : undefined;
}

/**
 * The refusal as gRPC's status fields. An unknown method is answered 12; the code of HTTP's 404
 * would be read as one of an object.
 */
export function statusFields(error: ConnectError): Headers {
  const { rawMessage, metadata, details } = error;
  const code = reasonOf(error) === "UNKNOWN_PATH" ? Code.Unimplemented : error.code;
  const known = new ConnectError(rawMessage, code, metadata);
  known.details = details;
  const fields = new Headers();
  setTrailerStatus(fields, known);
  decodeMarks(fields);
  // Connect leaves out what it takes for its own, like the encodings that are known.
  for (const [name, value] of metadata) fields.set(name, value);
  return fields;
}

function refuseInBody(error: ConnectError, body: Uint8Array): Answer {
  const header = new Headers(error.metadata);
  header.set("content-type", "application/json");
  header.set("content-length", String(body.byteLength));
  return { status: httpStatusOf(error), header, body };
}
