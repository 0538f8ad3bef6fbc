import { METHODS } from "node:http";

/** The verbs that some path answers. */
const answered = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

/**
 * The verb that stands for all that no path answers. Fastify compiles every path for every verb,
 * which for all that Node reads takes a tenth of a second, and megabytes.
 */
export const otherVerb = "TRACE";

const said = new WeakMap<object, string>();

/** Gives a request a verb that paths know. */
export function foldVerb(request: { method?: string | undefined }): void {
  const { method = "" } = request;
  if (answered.has(method) || !METHODS.includes(method)) return;
  said.set(request, method);
  request.method = otherVerb;
}

/** The verb that the caller has sent. */
export function verbOf(request: { readonly method?: string | undefined }): string | undefined {
  return said.get(request) ?? request.method;
}

/**
 * The verb of a request that could not be read, from the packet that came last, as Node keeps it;
 * undefined where the request began in an earlier one.
 */
export function verbIn(packet: unknown): string | undefined {
  const head = Buffer.isBuffer(packet) ? packet.toString("latin1", 0, 16) : "";
  return /^([A-Z]+) /.exec(head)?.[1];
}
