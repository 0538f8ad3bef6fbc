import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Http2ServerRequest, type ServerHttp2Stream } from "node:http2";
import { rejectionFor } from "../../domain/decision.ts";
import { type Peer, type Peers, unsharedPeer } from "../../port/peer.ts";
import type { Shares } from "../../port/shares.ts";
import { failure } from "./errors.ts";

/** Where a request comes from: its message of HTTP/1.1, or its stream of HTTP/2. */
export type Source = IncomingMessage | ServerHttp2Stream;

/** Who sends a request, for whom bounds on what one may take are counted. */
export interface Sender extends Peer {
  /** What it counts for over time: see `Peers`. */
  readonly pacedAs: string | undefined;
  /** Cuts off who takes no answer: ends the stream, or the connection of HTTP/1.1. */
  cut(): void;
}

/** Finds out who sends a request. */
export type SenderOf = (source: Source, headers: IncomingHttpHeaders) => Sender;

/** One that is counted in all alone. */
const uncounted: Sender = { ...unsharedPeer, pacedAs: undefined, cut: () => {} };

/** Without rates, nobody asks what a sender counts for over time, and it is not found out. */
export function createSenderOf(peers: Peers, { isOn }: { readonly isOn: boolean }): SenderOf {
  return (source, headers) => {
    const connection = connectionOf(source);
    if (connection === undefined) return uncounted;
    const [remote, forwardedFor] = [remoteOf(source), headers["x-forwarded-for"]];
    const pacedAs = isOn ? peers.pacedAs(remote, forwardedFor) : undefined;
    const cut = () => {
      // For a handler that still writes, it is as if the peer had gone.
      if ("session" in source) source.destroy(Object.assign(new Error(), { code: "ECONNRESET" }));
      // A request of HTTP/1.1 that was read whole ends its connection no more.
      else source.socket.destroy();
    };
    return { ...peers.senderOf(connection, remote, forwardedFor), pacedAs, cut };
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
