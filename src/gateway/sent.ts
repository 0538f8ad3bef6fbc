import { gunzipSync } from "node:zlib";
import type { DescMethod } from "@bufbuild/protobuf";
import { type Rejection, told } from "../domain/decision.ts";
import { strictText } from "./body.ts";
import { jsonProblems } from "./json-problem.ts";

/**
 * What a call has sent as JSON, held only until the message has been read: where that fails, it is
 * looked at once more, to say what is wrong with it. The bytes are not copied before that.
 */
export interface SentJson {
  keep(chunk: Uint8Array): void;
  /** Lets go of everything. */
  release(): void;
  /** The refusal of a text that could not be read as the message, of at most so many bytes. */
  refusal(bytesMax: number): Rejection;
}

const json = /^application\/(?:(connect|grpc|grpc-web)\+)?json(?![\w+.-])/i;

/** Undefined where the request is not JSON. */
export function sentJson({ input, methodKind }: DescMethod, header: Headers): SentJson | undefined {
  const type = json.exec(header.get("content-type") ?? "");
  if (type === null) return undefined;
  // Of many messages it is not known which could not be read, and so none of them is held.
  const isMany = methodKind === "client_streaming" || methodKind === "bidi_streaming";
  const isFramed = type[1] !== undefined;
  let chunks: Uint8Array[] = [];
  return {
    keep(chunk) {
      if (!isMany) chunks.push(chunk);
    },
    release() {
      chunks = [];
    },
    refusal(bytesMax) {
      const text = textOf(Buffer.concat(chunks), { isFramed, header, bytesMax });
      const violations = text === undefined ? [] : jsonProblems(input, text);
      const message = violations.length > 0 ? told(violations) : misfit;
      return { reason: "MALFORMED_REQUEST", message, violations };
    },
  };
}

/** Said where nothing better is known; what the parser says may quote what was sent. */
const misfit = "The body is not JSON that fits the request message.";

interface Form {
  readonly isFramed: boolean;
  readonly header: Headers;
  readonly bytesMax: number;
}

/** The text of the one message in the bytes, as it has been read before; undefined without one. */
function textOf(bytes: Buffer, { isFramed, header, bytesMax }: Form): string | undefined {
  if (bytes.length < (isFramed ? frameHeadBytes : 1)) return undefined;
  const end = isFramed ? frameHeadBytes + bytes.readUInt32BE(1) : bytes.length;
  const message = bytes.subarray(isFramed ? frameHeadBytes : 0, end);
  const isCompressed = isFramed ? bytes[0] === 1 : header.get("content-encoding") === "gzip";
  const maxOutputLength = bytesMax;
  return strictText.decode(isCompressed ? gunzipSync(message, { maxOutputLength }) : message);
}

/** Flags, and the length of what follows. */
const frameHeadBytes = 5;
