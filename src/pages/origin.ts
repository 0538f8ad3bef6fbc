import type { FastifyRequest } from "fastify";
import { failure } from "../gateway/call/errors.ts";

/**
 * Throws for a form that no page of the service has sent, as far as browsers say where one is from:
 * `origin` names the service. Where it names nobody, as with extensions that hide it, browsers have
 * to say so by `sec-fetch-site`.
 */
export function refuseOtherSites(
  { headers }: Pick<FastifyRequest, "headers">,
  publicUrl: string,
): void {
  const { origin = "null", "sec-fetch-site": site } = headers;
  const isNamed = origin !== "null";
  const isOurs = isNamed ? origin === new URL(publicUrl).origin : site === "same-origin";
  if (isOurs && (site === undefined || site === "same-origin" || site === "none")) return;
  throw failure({ reason: "MALFORMED_REQUEST", message: "Another site sent the form." });
}
