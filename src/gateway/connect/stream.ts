import type { Message } from "@bufbuild/protobuf";
import type { StreamRequest, UnaryRequest } from "@connectrpc/connect";
import type { Logger } from "pino";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { rejectionFor } from "../../domain/decision.ts";
import { explain, failure } from "../call/errors.ts";
import type { ConnectCall } from "./call.ts";
import type { EarlyEnd } from "./early-end.ts";
import { explainMisread, type MessageBounds } from "./misread.ts";

/**
 * Reads the messages of a streaming call, and admits each before the handler gets it. Bytes that
 * are no message are refused here, since to the handler they would look like a failure of its own.
 */
export async function* admitMessages(
  request: StreamRequest,
  reading: MessageBounds,
  admit: (message: Message) => Promise<void>,
) {
  const messages = request.message[Symbol.asyncIterator]();
  const isSingle = request.method.methodKind === "server_streaming";
  try {
    for (let count = 0; ; count += 1) {
      const next = await messages.next().catch((thrown) => {
        throw explainMisread(thrown, reading);
      });
      if (isSingle && count === 0 && next.done) throw malformed("There is no message");
      if (isSingle && count === 1 && !next.done) throw malformed("There is a second message");
      if (next.done) return;
      await admit(next.value);
      yield next.value;
    }
  } finally {
    // Not awaited: what waits for bytes that never come would not return either.
    messages.return?.().catch(() => {});
  }
}

/**
 * Ends a stream as soon as the server begins to stop, because it could outlast the grace that calls
 * have to finish. A health watch tells that the server stops, and then ends by itself.
 */
export function endWithServer(
  { method, signal }: Pick<StreamRequest | UnaryRequest, "method" | "signal">,
  earlyEnd: EarlyEnd,
  stopping: AbortSignal,
): void {
  if (method === Health.method.watch || signal.aborted) return;
  const end = () => {
    earlyEnd.fail(failure(rejectionFor("SHUTTING_DOWN")));
  };
  if (stopping.aborted) end();
  stopping.addEventListener("abort", end);
  signal.addEventListener("abort", () => stopping.removeEventListener("abort", end));
}

/** Passes on a handler's messages until the call ends, whether or not the handler sees its end. */
export async function* guardMessages<T>(
  messages: AsyncIterable<T>,
  call: ConnectCall,
  log: Logger,
) {
  const each = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await call.earlyEnd.race(each.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (thrown) {
    throw explain(thrown, call, log);
  } finally {
    // Not awaited: a handler that waits for something would not return before it is there.
    each.return?.().catch(() => {});
  }
}

function malformed(what: string) {
  const message = `${what}: this method takes one, and answers with a stream.`;
  return failure({ reason: "MALFORMED_REQUEST", message });
}
