import { type Form, type MessageForm, nodeHeaders } from "../call/form.ts";
import { frameBytes, writeFrame } from "./frame.ts";
import { framedForm, framedHeaders, statusFields } from "./grpc.ts";

/** gRPC-Web (PROTOCOL-WEB.md): trailers are the last frame of the body. */
export function grpcWebIn(messages: MessageForm): Form {
  const contentType = `application/grpc-web+${messages.encoding === "json" ? "json" : "proto"}`;
  return {
    ...framedForm,
    ...messages,
    contentType,
    name: "grpc-web",
    offered: "application/grpc-web+proto",
    answer: (message, headers) => {
      const { bytes, isGzip } = message;
      const body = Buffer.allocUnsafe(2 * frameBytes + bytes.byteLength + statusOk.byteLength);
      writeFrame(body, 0, isGzip ? 1 : 0, bytes);
      writeFrame(body, frameBytes + bytes.byteLength, trailerFlag, statusOk);
      return { status: 200, headers: framedHeaders(contentType, message, headers), body };
    },
    refusalBytes: (error) => trailerBlock(nodeHeaders(statusFields(error))),
    refuse: (_error, part, headers) => {
      const body = Buffer.allocUnsafe(frameBytes + part.bytes.byteLength);
      writeFrame(body, 0, part.isGzip ? trailerFlag | 1 : trailerFlag, part.bytes);
      return { status: 200, headers: framedHeaders(contentType, part, headers), body };
    },
    amend: (answered) => answered,
  };
}

/** Marks the frame with the trailers. */
const trailerFlag = 0x80;

const statusOk = trailerBlock({ "grpc-status": "0" });

function trailerBlock(fields: object): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(lines.join(""));
}
