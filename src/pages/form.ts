import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import type { FastifyRequest } from "fastify";
import {
  bodyTooLarge,
  canceled,
  failure,
  failureOf,
  unsupportedMediaType,
} from "../gateway/call/errors.ts";
import { createPieces } from "../gateway/call/pieces.ts";
import { type Chunks, isStream, readInTime } from "../gateway/connect/body.ts";
import { createEarlyEnd } from "../gateway/connect/early-end.ts";
import type { Front } from "../gateway/front.ts";

/** Bytes of a form: the longest password, with every character encoded, and some ids. */
export const formBytesMax = 4 * 1024;

const formType = "application/x-www-form-urlencoded";

/** Values by name; a name that is not there has an empty one. */
export interface Fields {
  of(name: string): string;
  /** All of them, as the query of an address. */
  readonly query: string;
}

/** Reads the query of a link or a form's body. Throws where a name comes more than once. */
export function fieldsOf(text: string): Fields {
  const fields = new URLSearchParams(text);
  if (new Set(fields.keys()).size < fields.size) {
    throw failure({ reason: "MALFORMED_REQUEST", message: "A field was given more than once." });
  }
  return {
    of: (name) => fields.get(name) ?? "",
    get query() {
      return fields.toString();
    },
  };
}

/** What a form comes in. */
interface Posted extends Pick<UniversalServerRequest, "body"> {
  readonly header: Pick<Headers, "get">;
}

/** How long a form may take, and how it waits for its sender meanwhile: see `Front`. */
export interface Patience {
  readonly requestTimeoutMs: number;
  readonly formTimeoutMs: number;
  readonly wait: (cut: (refusal: Error) => void) => () => void;
}

/** How long the form of a request may take. */
export function patienceWith(front: Front, request: FastifyRequest): Patience {
  const { requestTimeoutMs, formTimeoutMs } = front;
  return { requestTimeoutMs, formTimeoutMs, wait: (cut) => front.wait(request, cut) };
}

/** Reads what a browser posts. Throws for anything else, and for what takes too long. */
export async function readForm({ body, header }: Posted, patience: Patience): Promise<Fields> {
  const contentType = header.get("content-type");
  const isForm = /^application\/x-www-form-urlencoded(?:; ?charset=utf-?8)?$/i;
  if (!isForm.test(contentType ?? "") || !isStream(body)) {
    throw unsupportedMediaType(contentType, formType);
  }
  return fieldsOf((await readFormBytes({ body, header }, formBytesMax, patience)).toString());
}

/** Reads the bytes of a form, of which there may be so many. Throws as `readForm` does. */
export async function readFormBytes(
  { body, header }: Posted & { readonly body: Chunks },
  bytesMax: number,
  { requestTimeoutMs, formTimeoutMs, wait }: Patience,
): Promise<Buffer> {
  if ((header.get("content-encoding") ?? "identity") !== "identity") {
    const message = "A form is not compressed.";
    throw failure({ reason: "UNSUPPORTED_COMPRESSION", message });
  }
  const pieces = createPieces();
  const fits = (chunk: Uint8Array) => {
    if (pieces.bytes + chunk.byteLength > bytesMax) throw bodyTooLarge(bytesMax);
  };
  const isLarge = Number(header.get("content-length") ?? 0) > formBytesMax;
  const earlyEnd = createEarlyEnd();
  const leave = wait(earlyEnd.fail);
  try {
    const sent = readInTime(body, isLarge ? requestTimeoutMs : formTimeoutMs, earlyEnd, fits);
    for await (const chunk of sent) pieces.add(chunk);
    // A stream of HTTP/2 that is reset ends as one does that is whole.
    if (Number(header.get("content-length") ?? pieces.bytes) !== pieces.bytes) throw canceled();
    return pieces.join();
  } catch (thrown) {
    // Besides what is refused, only the connection can fail here.
    throw failureOf(thrown) ?? canceled();
  } finally {
    leave();
  }
}
