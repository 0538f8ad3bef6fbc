import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { type Call, holdFor } from "../call/call.ts";
import { roomOf } from "../call/limits.ts";
import type { WireOptions } from "../call/steps.ts";
import { createChunkCheck, isStream, readInTime } from "./body.ts";
import type { ConnectCall } from "./call.ts";
import type { MessageBounds } from "./misread.ts";
import { unpack } from "./unpack.ts";

/** The part of a request that a handler reads. */
type Intake = Pick<UniversalServerRequest, "header" | "body">;

/** The body of a call for its handler: read within the limits on bytes and time, and unpacked. */
export function takeIn({ header, body }: Intake, call: ConnectCall, options: WireOptions): Intake {
  if (!isStream(body)) return { header, body };
  const { methodKind } = call.method;
  const { limits, budget } = options;
  const isMany = methodKind === "client_streaming" || methodKind === "bidi_streaming";
  const { allBytes, leastBytes } = roomOf(call.rule, limits);
  const [lease, unpackedLease] = [budget.lease(allBytes), budget.lease(allBytes)];
  // However the call ends, and wherever its body is left lying.
  for (const { end } of [lease, unpackedLease]) holdFor(call, end);
  const check = createChunkCheck(call, { lease, leastBytes }, isMany);
  const bounded = readInTime(body, limits.requestTimeoutMs, call.earlyEnd, check);
  const reading = readingOf(call, options);
  return unpack({ header, body: bounded }, call.form, { reading, lease: unpackedLease });
}

/** What messages a call reads. */
export function readingOf({ method, rule }: Call, { limits }: WireOptions): MessageBounds {
  return { input: method.input, bytesMax: roomOf(rule, limits).messageBytes };
}
