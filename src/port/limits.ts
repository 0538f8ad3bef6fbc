/** Bounds on what connections, streams and peers may take. */
export interface PortLimits {
  /** Bytes of all header fields of one request. */
  readonly headerBytesMax: number;
  /** Milliseconds within which a request must arrive completely. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a peer may leave what waits for it, a stream or a connection, untouched. */
  readonly writeTimeoutMs: number;
  /**
   * Milliseconds until a new connection must have said which HTTP version it speaks, and one that
   * speaks HTTP/2 must have made its first call.
   */
  readonly sniffTimeoutMs: number;
  /** Milliseconds without a call after which a connection is closed. */
  readonly idleTimeoutMs: number;
  /**
   * Milliseconds, give or take a tenth, after which the next call of an HTTP/2 connection is its
   * last, so that its client makes another; Infinity lets it live as long as it is used.
   */
  readonly connectionAgeMs: number;
  /**
   * Milliseconds that a peer has, once its stream is answered, to send the rest of a body that
   * nobody wants. Node's clients count what they have not sent of a stream that was reset for good,
   * and lose answers at 10 MiB of it.
   */
  readonly unwantedBodyMs: number;
  /** Milliseconds that balancers have to see that the server is going to stop, before it does. */
  readonly drainMs: number;
  /** Of them, those before connections are told to end, in which balancers lead calls elsewhere. */
  readonly drainQuietMs: number;
  /**
   * Milliseconds for which idle connections of HTTP/1.1 stay open when the server stops: a request
   * may be on its way on each of them, and is answered then.
   */
  readonly lingerMs: number;
  /** Milliseconds that calls in flight have to finish when the server stops. */
  readonly stopGraceMs: number;
  /** Open connections. */
  readonly connectionsMax: number;
  /** Of them, those of one address: of a /64 where it is one of IPv6. */
  readonly connectionsOfAddressMax: number;
  /** Requests of one HTTP/1.1 connection that wait for their answers. */
  readonly unansweredRequestsMax: number;
  /** Open streams of one HTTP/2 connection. */
  readonly streamsPerConnectionMax: number;
  /** Streams that one HTTP/2 connection may reset at once. */
  readonly streamResetBurst: number;
  /** Streams that one HTTP/2 connection may reset per second after the burst. */
  readonly streamResetsPerSecond: number;
}

export const portLimits: PortLimits = {
  headerBytesMax: 16 * 1024,
  requestTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  sniffTimeoutMs: 10_000,
  idleTimeoutMs: 300_000,
  connectionAgeMs: Number.POSITIVE_INFINITY,
  unwantedBodyMs: 1_000,
  drainMs: 0,
  drainQuietMs: 0,
  lingerMs: 500,
  stopGraceMs: 10_000,
  connectionsMax: 10_000,
  connectionsOfAddressMax: 500,
  unansweredRequestsMax: 100,
  streamsPerConnectionMax: 100,
  streamResetBurst: 200,
  streamResetsPerSecond: 20,
};
