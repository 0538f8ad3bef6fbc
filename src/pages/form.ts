import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { isStream, readInTime } from "../gateway/body.ts";
import { createEarlyEnd } from "../gateway/deadline.ts";
import {
  bodyTooLarge,
  canceled,
  failure,
  failureOf,
  unsupportedMediaType,
} from "../gateway/errors.ts";
import { createPieces } from "../gateway/pieces.ts";

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

/** Reads what a browser posts. Throws for anything else, and for what takes too long. */
export async function readForm(
  { body, header }: Posted,
  requestTimeoutMs: number,
): Promise<Fields> {
  const contentType = header.get("content-type");
  const isForm = /^application\/x-www-form-urlencoded(?:; ?charset=utf-?8)?$/i;
  if (!isForm.test(contentType ?? "") || !isStream(body)) {
    throw unsupportedMediaType(contentType, formType);
  }
  if ((header.get("content-encoding") ?? "identity") !== "identity") {
    const message = "A form is not compressed.";
    throw failure({ reason: "UNSUPPORTED_COMPRESSION", message });
  }
  try {
    return fieldsOf(await textOf(body, requestTimeoutMs));
  } catch (thrown) {
    // Besides what is refused, only the connection can fail here.
    throw failureOf(thrown) ?? canceled();
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, requestTimeoutMs: number): Promise<string> {
  const pieces = createPieces();
  const fits = (chunk: Uint8Array) => {
    if (pieces.bytes + chunk.byteLength > formBytesMax) throw bodyTooLarge(formBytesMax);
  };
  const sent = readInTime(body, requestTimeoutMs, createEarlyEnd(), fits);
  for await (const chunk of sent) pieces.add(chunk);
  return pieces.join().toString();
}
