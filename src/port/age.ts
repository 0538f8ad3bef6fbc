import type { ServerHttp2Session } from "node:http2";
import type { PortLimits } from "./limits.ts";

/** How far the age of a connection lies at most from the one that is set, as a share of it. */
const spread = 0.1;

/** The age in milliseconds that a connection may reach: the jitter, from 0 to 1, sets it apart. */
export function ageOf(jitter: number, { connectionAgeMs }: Pick<PortLimits, "connectionAgeMs">) {
  return connectionAgeMs * (1 - spread + 2 * spread * jitter);
}

/**
 * Tells the peer of a connection that has reached its age to make further calls on another one;
 * those that are open finish. While the server drains, each connection has reached it. The peer is
 * told with the next call that it makes, so that who makes one call after the other hears of it
 * before the next. Of calls that are under way just then the GOAWAY says that nobody looked at them
 * (RFC 9113, 6.8): clients of gRPC repeat them.
 */
export function endWhenOld(
  session: ServerHttp2Session,
  limits: PortLimits,
  isDraining: () => boolean,
): void {
  const dueMs = performance.now() + ageOf(Math.random(), limits);
  const look = () => {
    if (performance.now() < dueMs && !isDraining()) return;
    session.off("stream", look);
    // What has come together with this call is served as well.
    setImmediate(() => session.close());
  };
  session.on("stream", look);
}
