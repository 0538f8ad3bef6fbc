import type { FastifyRequest } from "fastify";
import {
  bodyTooLarge,
  canceled,
  failure,
  requestTimeout,
  unsupportedMediaType,
} from "../gateway/call/errors.ts";
import { type Bounds, type Received, receive, takeArrived } from "../gateway/call/receive.ts";
import type { Front } from "../gateway/front.ts";

/** Bytes of a form: four names of 200 characters, with every one encoded, and some ids. */
export const formBytesMax = 12 * 1024;

/** The type of a form. */
export const formType = "application/x-www-form-urlencoded";

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
export type Posted = Pick<FastifyRequest, "raw" | "headers">;

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
export async function readForm(posted: Posted, patience: Patience): Promise<Fields> {
  const contentType = posted.headers["content-type"];
  const isForm = /^application\/x-www-form-urlencoded(?:; ?charset=utf-?8)?$/i;
  if (!isForm.test(contentType ?? "")) throw unsupportedMediaType(contentType ?? null, formType);
  return fieldsOf((await readFormBytes(posted, formBytesMax, patience)).toString());
}

/** Reads the bytes of a form, of which there may be so many. Throws as `readForm` does. */
export async function readFormBytes(
  { raw, headers }: Posted,
  bytesMax: number,
  { requestTimeoutMs, formTimeoutMs, wait }: Patience,
): Promise<Buffer> {
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    const message = "A form is not compressed.";
    throw failure({ reason: "UNSUPPORTED_COMPRESSION", message });
  }
  const isLarge = Number(headers["content-length"] ?? 0) > formBytesMax;
  const timeoutMs = isLarge ? requestTimeoutMs : formTimeoutMs;
  const bounds = { messageBytes: bytesMax, leastBytes: 0 };
  // What came with its head is there once the parser has gone on.
  await Promise.resolve();
  const { bytes, isWhole } =
    takeArrived(raw, headers["content-length"], bounds, unleased) ??
    (await receiveInTime(raw, bounds, { timeoutMs, wait }));
  if (!isWhole) throw bodyTooLarge(bytesMax);
  // A stream of HTTP/2 that is reset ends as one does that is whole.
  if (Number(headers["content-length"] ?? bytes.byteLength) !== bytes.byteLength) throw canceled();
  return bytes;
}

/** Receives a body, as long as its sender is there and neither late nor cut off. */
async function receiveInTime(
  raw: Posted["raw"],
  bounds: Bounds,
  { timeoutMs, wait }: { readonly timeoutMs: number; readonly wait: Patience["wait"] },
): Promise<Received> {
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  const leave = () => {
    if (!raw.readableEnded) end(canceled());
  };
  const timer = setTimeout(() => end(requestTimeout(timeoutMs)), timeoutMs);
  const goOn = wait(end);
  raw.once("close", leave);
  if (raw.destroyed) leave();
  try {
    return await Promise.race([receive(raw, bounds, unleased), ended]);
  } finally {
    clearTimeout(timer);
    goOn();
    raw.off("close", leave);
  }
}

/** Forms are bounded by how many requests there may be, and have no part in what bodies share. */
const unleased = { hold: () => true } as const;
