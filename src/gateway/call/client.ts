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
}

/** Characters of `user-agent` that are read. */
export const userAgentCharactersMax = 256;

/** Finds out where a request comes from. */
export type ClientOf = (source: Source, headers: IncomingHttpHeaders) => Client;

export function createClientOf(peers: Pick<Peers, "fromOf">): ClientOf {
  return (source, headers) => ({
    address: peers.fromOf(remoteOf(source), headers["x-forwarded-for"]),
    userAgent: userAgentOf(headers),
  });
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
export function networksAround(counted: string): readonly string[] {
  return widerNetworksOf(counted);
}

/** The /32 of IPv6, or the /24 of IPv4, around what a request counts for. */
export function providerNetworkAround(counted: string): string {
  return providerNetworkOf(counted);
}
