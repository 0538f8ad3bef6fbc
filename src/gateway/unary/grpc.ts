import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { statusFields } from "../dialect.ts";
import { parserLimits } from "../elements.ts";
import { noBytes, nodeHeaders, type Packed, type WireForm } from "./form.ts";
import { frameBytes, openFrame, writeFrame } from "./frame.ts";

/** gRPC (PROTOCOL-HTTP2.md) with Protobuf messages. */
export const grpc: WireForm = {
  dialect: "grpc",
  encoding: "binary",
  acceptField: "grpc-accept-encoding",
  timeoutField: "grpc-timeout",
  timeoutMs: grpcTimeoutMs,
  frameBytes,
  open: openFrame,
  decode: ({ input }, bytes) => fromBinary(input, bytes, parserLimits),
  encode: ({ output }, message) => toBinary(output, message),
  answer: (message, headers) => ({
    status: 200,
    headers: headersWith(message, headers),
    body: framed(message),
    trailers: statusOk,
  }),
  refusalBytes: () => noBytes,
  refuse: (error, part, headers) => ({
    status: 200,
    headers: headersWith(part, headers),
    body: undefined,
    trailers: nodeHeaders(statusFields(error)),
  }),
};

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
export function grpcTimeoutMs(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  const ms = unitMs[unit];
  return ms === undefined ? undefined : Number(digits) * ms;
}

function headersWith({ isGzipAccepted }: Packed, headers: object) {
  const contentType = { "content-type": "application/grpc+proto" };
  return isGzipAccepted
    ? { ...contentType, "grpc-encoding": "gzip", ...headers }
    : { ...contentType, ...headers };
}

function framed({ bytes, isGzip }: Packed): Buffer {
  const body = Buffer.allocUnsafe(frameBytes + bytes.byteLength);
  writeFrame(body, 0, isGzip ? 1 : 0, bytes);
  return body;
}
