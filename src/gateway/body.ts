import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { failure } from "./errors.ts";

type Body = UniversalServerRequest["body"];

/** The body, which must be over in time; reading it fails with REQUEST_TIMEOUT otherwise. */
export function withDeadline(body: Body, timeoutMs: number): Body {
  return isStream(body) ? inTime(body, timeoutMs) : body;
}

/** The body, or `{}` in place of an empty one. */
export async function* orEmptyMessage(body: AsyncIterable<Uint8Array>) {
  let empty = true;
  for await (const chunk of body) {
    empty &&= chunk.byteLength === 0;
    yield chunk;
  }
  if (empty) yield new TextEncoder().encode("{}");
}

export function isStream(body: Body): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

async function* inTime(body: AsyncIterable<Uint8Array>, timeoutMs: number) {
  const chunks = body[Symbol.asyncIterator]();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The request was not sent completely within ${timeoutMs} ms.`;
    late.reject(failure({ reason: "REQUEST_TIMEOUT", message }));
  }, timeoutMs);
  try {
    for (;;) {
      const chunk = await Promise.race([chunks.next(), late.promise]);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a generator that waits for a chunk which never comes would not return either.
    void chunks.return?.();
  }
}
