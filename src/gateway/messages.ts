import type { Message } from "@bufbuild/protobuf";
import type { StreamRequest, UnaryRequest } from "@connectrpc/connect";
import type { Logger } from "pino";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { misread } from "./blame.ts";
import type { Over } from "./deadline.ts";
import { failure, failureOf, internal } from "./errors.ts";
import type { CallRecord } from "./record.ts";
import type { SentJson } from "./sent.ts";

/**
 * The messages of a streaming call, each admitted before the handler gets it. What is wrong with
 * their bytes is told here, since in the handler's hands it would look like a failure of its own.
 */
export async function* admitted(
  request: StreamRequest,
  { bytesMax, sent }: { readonly bytesMax: number; readonly sent: SentJson | undefined },
  admit: (message: Message) => Promise<void>,
) {
  const messages = request.message[Symbol.asyncIterator]();
  const isSingle = request.method.methodKind === "server_streaming";
  try {
    for (let count = 0; ; count += 1) {
      const next = await messages.next().catch((thrown) => {
        throw misread(thrown, bytesMax, sent);
      });
      if (isSingle && count === 0 && next.done) throw malformed("There is no message");
      if (isSingle && count === 1 && !next.done) throw malformed("There is a second message");
      if (next.done) return;
      sent?.release();
      await admit(next.value);
      yield next.value;
    }
  } finally {
    // Not awaited: what waits for bytes that never come would not return either.
    messages.return?.().catch(() => {});
  }
}

/**
 * A stream could outlast the grace that calls have to finish, so it ends as soon as the server
 * begins to stop. A health watch has that to tell, and then ends by itself.
 */
export function endWithServer(
  { method, signal }: Pick<StreamRequest | UnaryRequest, "method" | "signal">,
  over: Over,
  stopping: AbortSignal,
): void {
  if (method === Health.method.watch || signal.aborted) return;
  const end = () => {
    const message = "The server is stopping: begin the stream again on a new connection.";
    over.end(failure({ reason: "SHUTTING_DOWN", message }));
  };
  if (stopping.aborted) end();
  stopping.addEventListener("abort", end);
  signal.addEventListener("abort", () => stopping.removeEventListener("abort", end));
}

/** The messages of an answer until the call is over, whether or not the handler sees that. */
export async function* guarded<T>(
  messages: AsyncIterable<T>,
  { over, requestId }: CallRecord,
  log: Logger,
) {
  const each = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await over.unless(each.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (thrown) {
    throw failureOf(thrown) ?? internal(thrown, requestId, log);
  } finally {
    // Not awaited: a handler that waits for something would not return before it is there.
    each.return?.().catch(() => {});
  }
}

function malformed(what: string) {
  const message = `${what}: this method takes one, and answers with a stream.`;
  return failure({ reason: "MALFORMED_REQUEST", message });
}
