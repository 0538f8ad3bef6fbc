import type { Message } from "@bufbuild/protobuf";
import type { StreamRequest } from "@connectrpc/connect";
import { misread } from "./blame.ts";
import { failure } from "./errors.ts";

/**
 * The messages of a streaming call, each admitted before the handler gets it. What is wrong with
 * their bytes is told here, since in the handler's hands it would look like a failure of its own.
 */
export async function* admitted(
  request: StreamRequest,
  bytesMax: number,
  admit: (message: Message) => Promise<void>,
) {
  const messages = request.message[Symbol.asyncIterator]();
  const isSingle = request.method.methodKind === "server_streaming";
  try {
    for (let count = 0; ; count += 1) {
      const next = await messages.next().catch((thrown) => {
        throw misread(thrown, bytesMax);
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

function malformed(what: string) {
  const message = `${what}: this method takes one, and answers with a stream.`;
  return failure({ reason: "MALFORMED_REQUEST", message });
}
