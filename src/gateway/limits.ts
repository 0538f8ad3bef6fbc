/** Bounds on what connections and requests may take; `config.ts` has those that operators set. */
export interface GatewayLimits {
  /** Bytes of one message, as sent and decompressed. */
  readonly bodyBytesMax: number;
  /** The same for methods that ask for no token. */
  readonly openBodyBytesMax: number;
  /**
   * Bytes of bodies that all calls together hold; methods that ask for no token stop at half of
   * them.
   */
  readonly bufferedBytesMax: number;
  /** Bytes of all header fields of one request. */
  readonly headerBytesMax: number;
  /** Milliseconds until a request must have been sent completely. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a peer may leave what waits for it, a stream or a connection, untouched. */
  readonly writeTimeoutMs: number;
  /** Milliseconds until a new connection must have said which HTTP version it speaks. */
  readonly sniffTimeoutMs: number;
  /** Milliseconds without a call after which a connection is closed. */
  readonly idleTimeoutMs: number;
  /** Milliseconds that calls in flight have to finish when the server stops. */
  readonly stopGraceMs: number;
  /** Open connections. */
  readonly connectionsMax: number;
  /** Requests of one HTTP/1.1 connection that wait for their answers. */
  readonly unansweredRequestsMax: number;
  /** Open streams of one HTTP/2 connection. */
  readonly streamsPerConnectionMax: number;
  /** Streams that one HTTP/2 connection may reset at once, and per second after that. */
  readonly streamResetBurst: number;
  readonly streamResetsPerSecond: number;
  /** Milliseconds between two looks of a health watch at whether the server takes calls. */
  readonly healthIntervalMs: number;
}

export const defaultLimits: GatewayLimits = {
  bodyBytesMax: 1024 * 1024,
  openBodyBytesMax: 16 * 1024,
  bufferedBytesMax: 128 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  requestTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  sniffTimeoutMs: 10_000,
  idleTimeoutMs: 300_000,
  stopGraceMs: 10_000,
  connectionsMax: 10_000,
  unansweredRequestsMax: 100,
  streamsPerConnectionMax: 100,
  streamResetBurst: 200,
  streamResetsPerSecond: 20,
  healthIntervalMs: 1_000,
};
