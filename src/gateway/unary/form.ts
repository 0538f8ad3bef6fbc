import type { OutgoingHttpHeaders } from "node:http";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Dialect } from "../dialect.ts";
import type { Encoding } from "../elements.ts";
import type { WholeAnswer } from "./exchange.ts";

/** How requests and answers of unary calls look on the wire: one object for each content type. */
export interface WireForm {
  readonly dialect: Dialect["name"];
  /** How messages are written. */
  readonly encoding: Encoding;
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
  /** The message of a call. Throws where the bytes are none. */
  decode(method: DescMethod, bytes: Buffer): Message;
  encode(method: DescMethod, message: Message): Uint8Array;
  /** The answer with a message. */
  answer(message: Packed, headers: OutgoingHttpHeaders): WholeAnswer;
  /** The part of a refusal that is compressed as messages are. */
  refusalBytes(error: ConnectError): Uint8Array;
  /** The answer without a message; the part is the one above. */
  refuse(error: ConnectError, part: Packed, headers: OutgoingHttpHeaders): WholeAnswer;
}

/** Bytes as they are sent. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** Whether the caller reads gzip, which some forms announce in any case. */
  readonly isGzipAccepted: boolean;
  /** Whether the bytes are compressed with it. */
  readonly isGzip: boolean;
}

export const noBytes = new Uint8Array(0);

/** The header fields of an error's metadata and of Fetch's objects, as Node takes them. */
export function nodeHeaders(headers: Headers): OutgoingHttpHeaders {
  return Object.fromEntries(headers);
}
