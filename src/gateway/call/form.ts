import type { OutgoingHttpHeaders } from "node:http";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { Encoding } from "./elements.ts";

/** How requests and answers look: one object for each protocol and each way to write messages. */
export interface Form extends MessageForm {
  readonly name: "grpc" | "grpc-web" | "connect" | "json";
  /** A content type that every method takes in this protocol, for a request with another one. */
  readonly offered: string;
  /** The header that says how frames are compressed; undefined where the body has none. */
  frameField(contentType: string): string | undefined;
  /** The header in which a caller lists the compressions that it reads. */
  readonly acceptField: string;
  /** The header in which a caller says how much time it has. */
  readonly timeoutField: string;
  /** Milliseconds of that header; undefined where it is malformed. */
  timeoutMs(text: string): number | undefined;
  /** Bytes around the message in a body. */
  readonly frameBytes: number;
  /** The message in a whole body; undefined where it is framed in an unusual way. */
  open(body: Buffer): Buffer | undefined;
  /** The answer with a message. */
  answer(message: Packed, headers: OutgoingHttpHeaders): Answer;
  /** The part of a refusal that is compressed as messages are. */
  refusalBytes(error: ConnectError): Uint8Array;
  /** The answer without a message; the part is the one above. */
  refuse(error: ConnectError, part: Packed, headers: OutgoingHttpHeaders): Answer;
  /** What Connect has made of a refusal, with all that this protocol says of it. */
  amend(answered: UniversalServerResponse, error: ConnectError): UniversalServerResponse;
}

/** How messages are written. */
export interface MessageForm {
  readonly encoding: Encoding;
  /** The content type of a body that is one message. */
  readonly contentType: string;
  /** The message of a call. Throws where the bytes are none. */
  decode(method: DescMethod, bytes: Buffer): Message;
  encode(method: DescMethod, message: Message): Uint8Array;
}

/** Bytes as they are sent. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** Whether the caller reads gzip, which some forms announce in any case. */
  readonly isGzipAccepted: boolean;
  /** Whether the bytes are compressed with it. */
  readonly isGzip: boolean;
}

/** An answer that is complete before its first byte is written. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  /** The fields behind the body; only gRPC has them. */
  readonly trailers?: OutgoingHttpHeaders;
}

export const noBytes = new Uint8Array(0);

/** The bytes for a caller of whom nobody knows whether it reads gzip. */
export function plain(bytes: Uint8Array): Packed {
  return { bytes, isGzip: false, isGzipAccepted: false };
}

/** The answer that refuses a request which reaches no method. */
export function refusalIn(form: Form, error: ConnectError): Answer {
  return form.refuse(error, plain(form.refusalBytes(error)), {});
}

/** The answer as Connect hands it to its adapters. */
export function toUniversal(answer: Answer): UniversalServerResponse {
  const { status, headers, body = noBytes, trailers } = answer;
  return {
    status,
    header: webFields(headers),
    body: createAsyncIterable([body]),
    ...(trailers === undefined ? {} : { trailer: webFields(trailers) }),
  };
}

function webFields(headers: OutgoingHttpHeaders): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** The header fields of an error's metadata and of Fetch's objects, as Node takes them. */
export function nodeHeaders(headers: Headers): OutgoingHttpHeaders {
  return Object.fromEntries(headers);
}
