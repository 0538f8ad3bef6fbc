import { gunzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import type { WireAnswer } from "../gateway/native/wire.ts";

/** What an answer says, whatever protocol it is in. */
export interface Verdict {
  /** `OK`, or the reason of the refusal; undefined where it has none. */
  readonly outcome: string | undefined;
  /** What must never be, in words. */
  readonly problem?: string;
}

/** Reads an answer by what it says of itself, and says what is wrong with it. */
export function judge(answer: WireAnswer, verb: string): Verdict {
  const { status } = answer;
  if (status === undefined) return { outcome: "reset" };
  const isBare = verb === "HEAD" || verb === "OPTIONS";
  const outcome = isBare ? String(status) : outcomeOf(answer);
  if (status === 500 || outcome === "INTERNAL") return { outcome, problem: "an internal error" };
  if (outcome === undefined) return { outcome, problem: "a refusal without a reason" };
  return { outcome };
}

/** What is wrong with bytes that came back on a connection of no protocol. */
export function judgeBytes(bytes: Buffer): Verdict {
  const text = bytes.toString("latin1");
  if (/^HTTP\/1\.1 500|"INTERNAL"|internal error/m.test(text)) {
    return { outcome: "INTERNAL", problem: "an internal error" };
  }
  return { outcome: bytes.length === 0 ? "closed" : "answered" };
}

function outcomeOf(answer: WireAnswer): string | undefined {
  const { status = 0, headers, trailers } = answer;
  const isPacked = headers["content-encoding"] === "gzip";
  const body = isPacked ? gunzipSync(answer.body) : answer.body;
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith("application/grpc-web")) {
    return reasonOfStatus({ ...headers, ...lastFrame(body, 0x80) });
  }
  if (type.startsWith("application/grpc")) return reasonOfStatus({ ...headers, ...trailers });
  if (type.startsWith("application/connect+")) return reasonOfEnd(body);
  if (status < 400) return "OK";
  if (type.startsWith("text/html"))
    return /<h1>[^<]+<\/h1>|<form method="post"/.test(String(body)) ? "page" : undefined;
  return reasonOfJson(body.toString());
}

function reasonOfStatus(fields: { readonly [name: string]: unknown }): string | undefined {
  if (fields["grpc-status"] === "0") return "OK";
  const packed = Buffer.from(String(fields["grpc-status-details-bin"] ?? ""), "base64");
  return reasonIn(
    fromBinary(StatusSchema, packed).details.map(({ typeUrl, value }) => [typeUrl, value]),
  );
}

function reasonIn(details: readonly (readonly [type: string, value: Uint8Array])[]) {
  const found = details.find(([type]) => type.endsWith(ErrorInfoSchema.typeName));
  return found && fromBinary(ErrorInfoSchema, found[1]).reason;
}

/** The header fields in the last frame of gRPC-Web. */
function lastFrame(body: Buffer, flag: number): { readonly [name: string]: string } {
  const text = frameWith(body, flag)?.toString("latin1") ?? "";
  const lines = text.split("\r\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
}

/** The end of a stream as Connect has it. */
function reasonOfEnd(body: Buffer): string | undefined {
  const frame = frameWith(body, 0x02);
  if (frame === undefined) return undefined;
  const { error } = JSON.parse(frame.toString()) as { readonly error?: object };
  return error === undefined ? "OK" : reasonOfJson(JSON.stringify(error));
}

function frameWith(body: Buffer, flag: number): Buffer | undefined {
  for (let at = 0; at + 5 <= body.length; at += 5 + body.readUInt32BE(at + 1)) {
    const flags = body.readUInt8(at);
    if ((flags & flag) === 0) continue;
    const frame = body.subarray(at + 5, at + 5 + body.readUInt32BE(at + 1));
    return (flags & 1) === 0 ? frame : gunzipSync(frame);
  }
  return undefined;
}

/** That of Connect, of plain JSON and of the OpenID provider. */
function reasonOfJson(text: string): string | undefined {
  const { details = [], error } = JSON.parse(text) as {
    readonly details?: readonly { readonly [name: string]: unknown }[];
    readonly error?: unknown;
  };
  for (const { reason, type, value } of details) {
    if (typeof reason === "string") return reason;
    if (type === ErrorInfoSchema.typeName) {
      return fromBinary(ErrorInfoSchema, Buffer.from(String(value), "base64")).reason;
    }
  }
  // As OAuth says it (RFC 6749, 5.2).
  return typeof error === "string" ? error : undefined;
}
