import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { httpStatusOf } from "../call/errors.ts";
import { type Form, type MessageForm, nodeHeaders, type Packed } from "../call/form.ts";

/** Connect: the body of a unary call is the message, and an error is JSON. */
export const connectIn = (messages: MessageForm): Form => ({
  ...messages,
  name: "connect",
  offered: "application/json",
  // Only streams have frames.
  frameField: (contentType) =>
    /^application\/connect\+/i.test(contentType) ? "connect-content-encoding" : undefined,
  acceptField: "accept-encoding",
  timeoutField: "connect-timeout-ms",
  timeoutMs: (value) => (/^\d{1,10}$/.test(value) ? Number(value) : undefined),
  frameBytes: 0,
  open: (body) => body,
  answer: (message, headers) => ({
    status: 200,
    headers: sized(messages.contentType, message, headers),
    body: message.bytes,
  }),
  refusalBytes: (error) => errorToJsonBytes(error, undefined),
  refuse: (error, part, headers) => ({
    status: httpStatusOf(error),
    headers: sized("application/json", part, { ...headers, ...nodeHeaders(error.metadata) }),
    body: part.bytes,
  }),
  // A stream answers 200 and has the error in its last frame.
  amend: (answered, error) =>
    answered.status === 200 ? answered : { ...answered, status: httpStatusOf(error) },
});

/** The header fields of an answer that is one piece. */
export function sized(contentType: string, { bytes, isGzip }: Packed, headers: object) {
  return {
    "content-type": contentType,
    ...(isGzip ? { "content-encoding": "gzip" } : {}),
    "content-length": bytes.byteLength,
    ...headers,
  };
}
