import type { DescMethod } from "@bufbuild/protobuf";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { createChunkCheck, isStream, readInTime } from "./body.ts";
import type { Budget, Lease } from "./budget.ts";
import type { EarlyEnd } from "./deadline.ts";
import type { Rules } from "./gate.ts";
import { type GatewayLimits, leastBytesOf } from "./limits.ts";
import type { Reading } from "./misread.ts";
import { unpack } from "./unpack.ts";

/** What bounds the bodies of all calls. */
export interface IntakeOptions {
  readonly rules: Rules;
  readonly limits: GatewayLimits;
  readonly budget: Budget;
}

/** The part of a request that a handler reads. */
type Intake = Pick<UniversalServerRequest, "header" | "body">;

/** The body of a call for its handler: read within the limits on bytes and time, and unpacked. */
export function takeIn(
  { header, body, signal }: UniversalServerRequest,
  method: DescMethod,
  earlyEnd: EarlyEnd,
  options: IntakeOptions,
): Intake {
  if (!isStream(body)) return { header, body };
  const { requestTimeoutMs } = options.limits;
  const isMany = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const held = {
    lease: leaseFor(method, signal, options),
    leastBytes: leastBytesOf(options.limits),
  };
  const check = createChunkCheck(header, held, isMany);
  const bounded = readInTime(body, requestTimeoutMs, earlyEnd, check);
  const lease = leaseFor(method, signal, options);
  return unpack({ header, body: bounded }, readingOf(method, options), lease);
}

/** What messages a method reads. */
export function readingOf(method: DescMethod, options: Omit<IntakeOptions, "budget">): Reading {
  const { openBodyBytesMax, bodyBytesMax } = options.limits;
  const bytesMax = isOpen(method, options) ? openBodyBytesMax : bodyBytesMax;
  return { input: method.input, bytesMax };
}

/** What a call may hold, until it is over. */
function leaseFor(method: DescMethod, signal: AbortSignal, options: IntakeOptions): Lease {
  const { bufferedBytesMax } = options.limits;
  // Callers without a token leave room for those with one.
  const room = isOpen(method, options) ? bufferedBytesMax / 2 : bufferedBytesMax;
  const lease = options.budget.lease(room);
  // However a call ends, and wherever its body is left lying, this comes.
  if (signal.aborted) lease.end();
  else signal.addEventListener("abort", lease.end);
  return lease;
}

/** Whether a method asks for no token. */
export function isOpen(method: DescMethod, { rules }: Pick<IntakeOptions, "rules">): boolean {
  return rules.of(method).kind === "open";
}
