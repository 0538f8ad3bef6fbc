import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { PathEndpoint, Respond } from "./endpoint.ts";
import type { Front } from "./front.ts";
import { inSlices } from "./slices.ts";

/** What describes the service to programs: files of `gen/`, by the paths of their answers. */
const described = ["/openapi.json", "/events.schema.json"] as const;

/** The paths of these documents. Each is read when it is first asked for, by anybody. */
export function describedPaths({ front }: { readonly front: Front }): readonly PathEndpoint[] {
  return described.map((path) => [{ verb: "GET", path }, { respond: respondWith(path, front) }]);
}

function respondWith(path: string, front: Front): Respond {
  let reading: Promise<Document> | undefined;
  const read = () => {
    reading ??= readDocument(path).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  return async (request, reply) => {
    front.enter(request);
    const { plain, zipped, tag } = await front.work(request, "lookups", read);
    reply.headers({
      "cache-control": "public, max-age=300",
      etag: tag,
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    const { "if-none-match": known = "", "accept-encoding": codings = "" } = request.headers;
    if (known.includes(tag)) return void reply.code(304).send();
    const isZipped = takesGzip.test(`${codings}`);
    if (isZipped) reply.header("content-encoding", "gzip");
    const bytes = isZipped ? zipped : plain;
    reply.header("content-length", bytes.length).type("application/json");
    // Until all is sent: before that, Fastify would take this for no answer.
    await reply.send(inSlices(bytes));
  };
}

/** A document in both codings, and the tag of its content. */
interface Document {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly tag: string;
}

async function readDocument(path: string): Promise<Document> {
  const plain = await readFile(new URL(`../../gen${path}`, import.meta.url));
  const hash = createHash("sha256").update(plain).digest("base64url");
  // One tag stands for both codings, so it is a weak one (RFC 9110, 8.8.3).
  return { plain, zipped: await promisify(gzip)(plain), tag: `W/"${hash}"` };
}

/** Names gzip, and not to exclude it (RFC 9110, 12.5.3). */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
