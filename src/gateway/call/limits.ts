import { type PortLimits, portLimits } from "../../port/limits.ts";
import type { ShareLimits } from "../../port/shares.ts";
import type { Rule } from "./rule.ts";

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
  /** Bytes of answers that wait for their callers to take them, of all calls with a token. */
  readonly answersBytesMax: number;
  /**
   * Such answers: each that is not taken at once counts as its part of these bytes at least,
   * because it takes memory besides its own bytes.
   */
  readonly answersMax: number;
  /** Bytes of an answer that is small; larger ones stop at half of the bytes of all. */
  readonly smallAnswerBytesMax: number;
  /** Bytes of the larger answers that open streams sent last, which they keep in memory. */
  readonly streamAnswersBytesMax: number;
  /**
   * Bytes of other answers that wait to be read, those of strangers and all refusals among them:
   * each takes one of `openCallsMax` places for each such part of these bytes.
   */
  readonly unreadBytesMax: number;
  /** Milliseconds until a form of 12 KiB or less must have been sent completely. */
  readonly formTimeoutMs: number;
  /**
   * Open calls of methods without a token. The same number holds for each other kind of request:
   * pages, tokens and lookups. It also bounds those of each kind that wait for the rest of a
   * request, and those that wait for their answer to be read.
   */
  readonly openCallsMax: number;
  /** Of each of them, those on one connection. */
  readonly openCallsOfConnectionMax: number;
  /** Of each of them, those of one address: of a /64 where it is one of IPv6. */
  readonly openCallsOfAddressMax: number;
  /** Of each of them, those of a /56 of IPv6. */
  readonly openCallsOfSubscriberMax: number;
  /** Of each of them, those of a /48 of IPv6. */
  readonly openCallsOfSiteMax: number;
  /** Of these calls, streams, which their callers keep open: health watches, and reflection. */
  readonly openStreamsMax: number;
  /** Of them, those on one connection. */
  readonly openStreamsOfConnectionMax: number;
  /** Of them, those of one address. */
  readonly openStreamsOfAddressMax: number;
  /** Of them, those of a /56 of IPv6. */
  readonly openStreamsOfSubscriberMax: number;
  /** Of them, those of a /48 of IPv6. */
  readonly openStreamsOfSiteMax: number;
  /** Calls a second of one caller, whatever its tokens; Infinity bounds nobody. */
  readonly callerRate: number;
  /** Calls of one caller at once, which that rate makes up for. */
  readonly callerBurst: number;
  /** Calls and requests a second of one address: of a /64 where it is one of IPv6. */
  readonly addressRate: number;
  /** Those of one address at once. */
  readonly addressBurst: number;
  /** Addresses that may make as many calls in a /48 of IPv6, all of its /64 together. */
  readonly siteAddresses: number;
  /** Callers, and as many addresses and sites, whose calls are remembered, at most. */
  readonly bucketsMax: number;
  /** Milliseconds between two looks at whether the server takes calls, for all health watches. */
  readonly healthIntervalMs: number;
}

/** Bytes that the body of a call may take. */
export interface Room {
  /** Of one message, with those around it. */
  readonly messageBytes: number;
  /** That the call holds until its body has come whole, if these are no more. */
  readonly leastBytes: number;
  /** Of the bodies of all calls, while this one gets more. */
  readonly allBytes: number;
}

/** A method that asks for no token leaves room for those that do. */
export function roomOf({ kind }: Rule, limits: GatewayLimits, frameBytes = 0): Room {
  const { openBodyBytesMax, bodyBytesMax, bufferedBytesMax, halfSentCallsMax } = limits;
  const isOpen = kind === "open";
  return {
    messageBytes: (isOpen ? openBodyBytesMax : bodyBytesMax) + frameBytes,
    leastBytes: bufferedBytesMax / halfSentCallsMax,
    allBytes: isOpen ? bufferedBytesMax / 2 : bufferedBytesMax,
  };
}

/** How many calls without a token there may be at a time, and of whom. */
export function openCallsOf(limits: GatewayLimits): ShareLimits {
  return {
    all: limits.openCallsMax,
    ofConnection: limits.openCallsOfConnectionMax,
    ofAddress: limits.openCallsOfAddressMax,
    ofSubscriber: limits.openCallsOfSubscriberMax,
    ofSite: limits.openCallsOfSiteMax,
  };
}

/** The same of those among them that stay open. */
export function openStreamsOf(limits: GatewayLimits): ShareLimits {
  return {
    all: limits.openStreamsMax,
    ofConnection: limits.openStreamsOfConnectionMax,
    ofAddress: limits.openStreamsOfAddressMax,
    ofSubscriber: limits.openStreamsOfSubscriberMax,
    ofSite: limits.openStreamsOfSiteMax,
  };
}

export const defaultLimits: GatewayLimits = {
  ...portLimits,
  bodyBytesMax: 1024 * 1024,
  openBodyBytesMax: 16 * 1024,
  bufferedBytesMax: 128 * 1024 * 1024,
  halfSentCallsMax: 8_000,
  answersBytesMax: 40 * 1024 * 1024,
  answersMax: 3_000,
  smallAnswerBytesMax: 16 * 1024,
  streamAnswersBytesMax: 8 * 1024 * 1024,
  unreadBytesMax: 64 * 1024 * 1024,
  formTimeoutMs: 2_000,
  openCallsMax: 2_000,
  openCallsOfConnectionMax: 50,
  openCallsOfAddressMax: 500,
  openCallsOfSubscriberMax: 750,
  openCallsOfSiteMax: 1_000,
  openStreamsMax: 1_000,
  openStreamsOfConnectionMax: 10,
  openStreamsOfAddressMax: 100,
  openStreamsOfSubscriberMax: 200,
  openStreamsOfSiteMax: 400,
  callerRate: Number.POSITIVE_INFINITY,
  callerBurst: 100,
  addressRate: Number.POSITIVE_INFINITY,
  addressBurst: 100,
  siteAddresses: 50,
  bucketsMax: 20_000,
  healthIntervalMs: 1_000,
};
