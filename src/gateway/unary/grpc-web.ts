import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { parserLimits } from "../elements.ts";
import { nodeHeaders, type Packed, type WireForm } from "./form.ts";
import { frameBytes, openFrame, writeFrame } from "./frame.ts";
import { grpcTimeoutMs } from "./grpc.ts";

/** gRPC-Web (PROTOCOL-WEB.md) with Protobuf messages: trailers are the last frame of the body. */
export const grpcWeb: WireForm = {
  dialect: "grpc-web",
  encoding: "binary",
  acceptField: "grpc-accept-encoding",
  timeoutField: "grpc-timeout",
  timeoutMs: grpcTimeoutMs,
  frameBytes,
  open: openFrame,
  decode: ({ input }, bytes) => fromBinary(input, bytes, parserLimits),
  encode: ({ output }, message) => toBinary(output, message),
  answer: (message, headers) => {
    const { bytes, isGzip } = message;
    const body = Buffer.allocUnsafe(2 * frameBytes + bytes.byteLength + statusOk.byteLength);
    writeFrame(body, 0, isGzip ? 1 : 0, bytes);
    writeFrame(body, frameBytes + bytes.byteLength, trailerFlag, statusOk);
    return { status: 200, headers: headersWith(message, headers), body };
  },
  refusalBytes: (error) => trailerBlock(nodeHeaders(setTrailerStatus(new Headers(), error))),
  refuse: (_error, part, headers) => {
    const body = Buffer.allocUnsafe(frameBytes + part.bytes.byteLength);
    writeFrame(body, 0, part.isGzip ? trailerFlag | 1 : trailerFlag, part.bytes);
    return { status: 200, headers: headersWith(part, headers), body };
  },
};

/** Marks the frame with the trailers. */
const trailerFlag = 0x80;

const statusOk = trailerBlock({ "grpc-status": "0" });

function trailerBlock(fields: object): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(lines.join(""));
}

function headersWith({ isGzipAccepted }: Packed, headers: object) {
  const contentType = { "content-type": "application/grpc-web+proto" };
  return isGzipAccepted
    ? { ...contentType, "grpc-encoding": "gzip", ...headers }
    : { ...contentType, ...headers };
}
