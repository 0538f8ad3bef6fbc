import { type PortLimits, portLimits } from "../port/limits.ts";

/** Bounds on what calls may take, besides those on connections. */
export interface GatewayLimits extends PortLimits {
  /** Bytes of one message, as sent and decompressed. */
  readonly bodyBytesMax: number;
  /** The same for methods that ask for no token. */
  readonly openBodyBytesMax: number;
  /**
   * Bytes of bodies that all calls together hold; methods that ask for no token stop at half of
   * them.
   */
  readonly bufferedBytesMax: number;
  /**
   * Calls whose bodies have not come whole: each counts as its part of `bufferedBytesMax` at least,
   * because it takes memory before its first byte.
   */
  readonly halfSentCallsMax: number;
  /** Bytes of answers that wait for their callers to take them, of all calls together. */
  readonly answersBytesMax: number;
  /** Bytes of an answer that is small; larger ones stop at half of the bytes of all. */
  readonly smallAnswerBytesMax: number;
  /** Calls of methods that ask for no token, and requests for pages, under way at a time. */
  readonly openCallsMax: number;
  /** Of them, those on one connection. */
  readonly openCallsOfConnectionMax: number;
  /** Of them, those of one address: of a /64 where it is one of IPv6. */
  readonly openCallsOfAddressMax: number;
  /** Of these calls, streams, which their callers keep open: health watches, and reflection. */
  readonly openStreamsMax: number;
  /** Of them, those on one connection. */
  readonly openStreamsOfConnectionMax: number;
  /** Of them, those of one address. */
  readonly openStreamsOfAddressMax: number;
  /** Milliseconds between two looks at whether the server takes calls, for all health watches. */
  readonly healthIntervalMs: number;
}

/** Bytes that a call holds until its body has come whole, if these are no more. */
export function leastBytesOf({ bufferedBytesMax, halfSentCallsMax }: GatewayLimits): number {
  return bufferedBytesMax / halfSentCallsMax;
}

export const defaultLimits: GatewayLimits = {
  ...portLimits,
  bodyBytesMax: 1024 * 1024,
  openBodyBytesMax: 16 * 1024,
  bufferedBytesMax: 128 * 1024 * 1024,
  halfSentCallsMax: 8_000,
  answersBytesMax: 40 * 1024 * 1024,
  smallAnswerBytesMax: 16 * 1024,
  openCallsMax: 2_000,
  openCallsOfConnectionMax: 50,
  openCallsOfAddressMax: 500,
  openStreamsMax: 1_000,
  openStreamsOfConnectionMax: 10,
  openStreamsOfAddressMax: 100,
  healthIntervalMs: 1_000,
};
