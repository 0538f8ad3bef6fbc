import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Http2ServerRequest, type ServerHttp2Stream } from "node:http2";
import { rejectionFor } from "../../domain/decision.ts";
import { type Peer, type Peers, unsharedPeer } from "../../port/peer.ts";
import type { Shares } from "../../port/shares.ts";
import { failure } from "./errors.ts";

/** Where a request comes from: its message of HTTP/1.1, or its stream of HTTP/2. */
export type Source = IncomingMessage | ServerHttp2Stream;

/** Finds out who sends a request, for whom bounds on what one may take are counted. */
export type SenderOf = (source: Source, headers: IncomingHttpHeaders) => Peer;

export function createSenderOf(peers: Peers): SenderOf {
  return (source, headers) => {
    const connection = connectionOf(source);
    if (connection === undefined) return unsharedPeer;
    return peers.senderOf(connection, remoteOf(source), headers["x-forwarded-for"]);
  };
}

function connectionOf(source: Source) {
  return "session" in source ? source.session : source.socket;
}

/** The address at the other end of the connection, for as long as that is there. */
export function remoteOf(source: Source): string | undefined {
  const connection = connectionOf(source);
  return connection && "socket" in connection
    ? connection.socket.remoteAddress
    : connection?.remoteAddress;
}

/** The source of a request as Fastify has it. */
export function sourceOf(raw: IncomingMessage | Http2ServerRequest): Source {
  return raw instanceof Http2ServerRequest ? raw.stream : raw;
}

/**
 * Counts a request without a token for its sender; answers what gives it back. Throws where it is
 * one too many.
 */
export function takeOpenCall(sender: Peer, openCalls: Shares): () => void {
  const giveBack = openCalls.take(sender);
  if (giveBack === undefined) throw failure(rejectionFor("TOO_MANY_OPEN_CALLS"));
  return giveBack;
}
