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
  /** Milliseconds between two looks of a health watch at whether the server takes calls. */
  readonly healthIntervalMs: number;
}

export const defaultLimits: GatewayLimits = {
  ...portLimits,
  bodyBytesMax: 1024 * 1024,
  openBodyBytesMax: 16 * 1024,
  bufferedBytesMax: 128 * 1024 * 1024,
  healthIntervalMs: 1_000,
};
