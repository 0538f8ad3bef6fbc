import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type Peers, providerNetworkOf, wideNetworkOf, widerNetworksOf } from "../../port/peer.ts";
import { remoteOf, type Source, sourceOf } from "./sender.ts";

/** Where a request comes from, as the lines about it say; what is unknown is left out there. */
export interface Client {
  /** The whole address, by the word of trusted proxies alone. */
  readonly address: string | undefined;
  /** What the program that sent it calls itself: see `userAgentOf`. */
  readonly userAgent: string | undefined;
  /** The header `traceparent`, of a trusted proxy alone: see `traceOf`. */
  readonly traceparent?: string | undefined;
  /** The header `x-request-id`, in the same way. */
  readonly proxyRequestId?: string | undefined;
}

/** Characters of `user-agent` that are read. */
export const userAgentCharactersMax = 256;

/** Finds out where a request comes from. */
export type ClientOf = (source: Source, headers: IncomingHttpHeaders) => Client;

export function createClientOf(peers: Pick<Peers, "fromOf" | "isTrusted">): ClientOf {
  return (source, headers) => {
    const remote = remoteOf(source);
    return {
      address: peers.fromOf(remote, headers["x-forwarded-for"]),
      userAgent: userAgentOf(headers),
      ...(peers.isTrusted(remote) ? traceOf(headers) : {}),
    };
  };
}

/** Characters of `x-request-id` that are taken; a longer one is left out. */
export const proxyRequestIdCharactersMax = 128;

/** Ids as proxies make them: nothing in them ends a word or turns text around. */
const requestIdForm = /^[\w.:=/+-]+$/;

/** Version 00 of Trace Context, and later ones as far as they are the same (W3C, 3.2). */
const traceparentForm = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** What a proxy says to join its lines with ours; what does not have its form is left out. */
function traceOf(headers: IncomingHttpHeaders): Pick<Client, "traceparent" | "proxyRequestId"> {
  const { traceparent, "x-request-id": id } = headers;
  const isTrace = typeof traceparent === "string" && traceparentForm.test(traceparent);
  const isId =
    typeof id === "string" && id.length <= proxyRequestIdCharactersMax && requestIdForm.test(id);
  return {
    ...(isTrace ? { traceparent } : {}),
    ...(isId ? { proxyRequestId: id } : {}),
  };
}

/**
 * What a header says of the program that sent it, cut off, without what is not seen and turns text
 * around. Undefined where it says nothing.
 */
function userAgentOf({ "user-agent": given = "" }: IncomingHttpHeaders): string | undefined {
  return given.slice(0, userAgentCharactersMax).replaceAll(/\p{C}/gu, "") || undefined;
}

type Raw = IncomingMessage | Http2ServerRequest;

const clients = new WeakMap<Raw, Client>();
const unknown: Client = { address: undefined, userAgent: undefined };

/** Remembers where a request comes from, before what proxies say of it is taken away. */
export function noteClient(raw: Raw, clientOf: ClientOf): void {
  clients.set(raw, clientOf(sourceOf(raw), raw.headers));
}

/** Where the request comes from, as was noted of it. */
export function notedClient(raw: Raw): Client {
  return clients.get(raw) ?? unknown;
}

/** The network that it comes from, in CIDR: what may be kept for longer than a whole address. */
export function notedNetwork(raw: Raw): string | undefined {
  const { address } = notedClient(raw);
  return address === undefined ? undefined : wideNetworkOf(address);
}

/** The /56 and the /48 around what a request counts for; an address of IPv4 has none. */
export const networksAround = widerNetworksOf;

/** The /32 of IPv6, or the /24 of IPv4, around what a request counts for. */
export const providerNetworkAround = providerNetworkOf;
