import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { OpenLanes } from "./lanes.ts";
import { fillIn, type Template } from "./template.ts";

/**
 * As many HTTP/1.1 connections as calls in flight, each a plain socket with a reader that knows
 * just enough: any HTTP client would cost more than many a server.
 */
export const openHttp1: OpenLanes = async (port, template, count) => {
  const lanes = Array.from({ length: count }, () => openLane(port, template));
  await Promise.all(lanes.map(({ socket }) => once(socket, "connect")));
  return {
    lanes,
    close: () => {
      for (const { socket } of lanes) socket.destroy();
    },
  };
};

function openLane(port: number, template: Template) {
  const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
  // The server has read all of a request before it answers, so its bytes can be used again.
  const bytes = Buffer.from(template.bytes);
  const problemOf = template.protocol === "grpc-web" ? grpcWebProblem : jsonProblem;
  let received: Buffer = Buffer.alloc(0);
  let done: (problem?: string) => void = () => {};

  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === undefined) return;
    received = received.subarray(received.length);
    done(problemOf(answer));
  });
  socket.on("error", (error) => done(error.message));
  socket.on("end", () => done("the server closed the connection"));
  return {
    socket,
    call: (serial: string, whenDone: (problem?: string) => void) => {
      done = whenDone;
      fillIn(bytes, template, serial);
      socket.write(bytes);
    },
  };
}

interface Answer {
  readonly status: string;
  readonly body: Buffer;
}

/** The answer, when all of it is there. */
function readAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const status = head.slice(9, 12);
  const rest = bytes.subarray(headEnd + 4);
  const length = /\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length === undefined) {
    const body = readChunks(rest);
    return body && { status, body };
  }
  return rest.length < Number(length) ? undefined : { status, body: rest };
}

function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const sizeEnd = bytes.indexOf("\r\n", at);
    if (sizeEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, sizeEnd), 16);
    const start = sizeEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function jsonProblem({ status, body }: Answer): string | undefined {
  return status.startsWith("2") ? undefined : `HTTP ${status}: ${body}`;
}

/** gRPC-Web answers 200 whatever happened; the status stands in the last frame. */
function grpcWebProblem(answer: Answer): string | undefined {
  const { body } = answer;
  if (answer.status !== "200") return jsonProblem(answer);
  const trailers = body.length < 5 ? 0 : 5 + body.readUInt32BE(1);
  const text = body.toString("latin1", trailers + 5);
  return body[trailers] === 0x80 && /grpc-status: *0\r?\n/.test(text) ? undefined : `gRPC ${text}`;
}
