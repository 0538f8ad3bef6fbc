import type { IncomingMessage } from "node:http";
import { withoutHost } from "../../gateway/call/paths.ts";
import { pathOf } from "./site.ts";

/** The header in which the library is told what a request counts for. */
export const senderHeader = "x-forwarded-for";

/** Where a request is said to have been sent, and by whom. */
interface Reached {
  readonly publicUrl: string;
  /** What it counts for; undefined where it has no share of its own. */
  readonly address: string | undefined;
}

/**
 * Says to the library where it is reached: at the address that is configured, whatever name the
 * request has and at any end of the TLS; and by whom. What others say of that is taken away.
 */
export function locate(
  raw: IncomingMessage & { originalUrl?: string },
  { publicUrl, address }: Reached,
): void {
  const { protocol, host } = new URL(publicUrl);
  raw.headers.host = host;
  raw.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  raw.headers["x-forwarded-host"] = host;
  delete raw.headers.forwarded;
  if (address === undefined) delete raw.headers[senderHeader];
  else raw.headers[senderHeader] = address;
  if (":authority" in raw.headers) raw.headers[":authority"] = host;
  raw.url = withoutHost(raw.url ?? "");
  raw.originalUrl = pathOf(publicUrl) + raw.url;
}
