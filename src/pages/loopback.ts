import type { FastifyRequest } from "fastify";
import { withoutHost } from "../gateway/call/paths.ts";

/** The names of this machine that a service listens on at once. */
const loopbacks: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Where a request for a page belongs that came by another name of this machine than the one by
 * which people know the service, since cookies and passkeys are of one name alone. Undefined where
 * it came by that name, and wherever the two may not be the same service: the port is that on which
 * the request has come. For nothing else is it believed by which name a request says that it came.
 */
export function homeOf(request: FastifyRequest, publicUrl: string): string | undefined {
  const { raw, protocol, url, method } = request;
  const home = new URL(publicUrl);
  const came = URL.parse(`${protocol}://${hostIn(raw.rawHeaders)}`);
  const isElsewhere = [home, came].every(
    (one) =>
      one?.protocol === `${protocol}:` &&
      one.pathname === "/" &&
      loopbacks.includes(one.hostname) &&
      portOf(one) === raw.socket.localPort,
  );
  const isLink = method === "GET" || method === "HEAD";
  if (!isLink || !isElsewhere || came?.hostname === home.hostname) return undefined;
  return home.origin + withoutHost(url);
}

/** The name and port that a request says it was sent to, as it said it. */
function hostIn(rawHeaders: readonly string[]): string {
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && /^(?:host|:authority)$/i.test(name),
  );
  return at < 0 ? "" : (rawHeaders[at + 1] ?? "");
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}
