import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import type { Lease } from "../call/budget.ts";
import { type Call, holdFor } from "../call/call.ts";
import { leastBytesOf, roomOf } from "../call/limits.ts";
import type { WireOptions } from "../call/steps.ts";
import { createChunkCheck, isStream, readInTime } from "./body.ts";
import type { ConnectCall } from "./call.ts";
import type { Reading } from "./misread.ts";
import { unpack } from "./unpack.ts";

/** The part of a request that a handler reads. */
type Intake = Pick<UniversalServerRequest, "header" | "body">;

/** The body of a call for its handler: read within the limits on bytes and time, and unpacked. */
export function takeIn({ header, body }: Intake, call: ConnectCall, options: WireOptions): Intake {
  if (!isStream(body)) return { header, body };
  const { methodKind } = call.method;
  const { requestTimeoutMs } = options.limits;
  const isMany = methodKind === "client_streaming" || methodKind === "bidi_streaming";
  const held = {
    lease: leaseFor(call, options),
    leastBytes: leastBytesOf(options.limits),
  };
  const check = createChunkCheck(call, held, isMany);
  const bounded = readInTime(body, requestTimeoutMs, call.earlyEnd, check);
  return unpack({ header, body: bounded }, call.form, {
    reading: readingOf(call, options),
    lease: leaseFor(call, options),
  });
}

/** What messages a call reads. */
export function readingOf({ method, rule }: Call, { limits }: WireOptions): Reading {
  return { input: method.input, bytesMax: roomOf(rule, limits).messageBytes };
}

/** What a call may hold, until it is over: however it ends, and wherever its body is left lying. */
function leaseFor(call: ConnectCall, { budget, limits }: WireOptions): Lease {
  const lease = budget.lease(roomOf(call.rule, limits).allBytes);
  holdFor(call, lease.end);
  return lease;
}
