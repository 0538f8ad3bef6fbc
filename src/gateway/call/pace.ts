import type { ConnectError } from "@connectrpc/connect";
import { widerNetworksOf } from "../../port/peer.ts";
import { failure } from "./errors.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Sender } from "./sender.ts";

/** How often something may happen. */
export interface Rate {
  /** Times a second, in the long run. */
  readonly perSecond: number;
  /** Times at once, which the rate makes up for. */
  readonly burst: number;
}

/**
 * Takes a token out of a bucket of which it is known when it is full again; milliseconds, by any
 * clock. Answers when it is full now, and how long to wait where there is no token yet.
 */
export function takeToken(fullAtMs: number, nowMs: number, { perSecond, burst }: Rate) {
  const tokenMs = 1_000 / perSecond;
  const fullMs = Math.max(fullAtMs, nowMs) + tokenMs;
  const waitMs = Math.floor(fullMs - nowMs - burst * tokenMs);
  return waitMs > 0 ? { fullAtMs, waitMs } : { fullAtMs: fullMs, waitMs: 0 };
}

/** Buckets by their keys. */
export interface Buckets {
  /** Takes a token; answers the milliseconds to wait where there is none, and 0 else. */
  take(key: string): number;
}

/**
 * Of too many buckets those go that were asked for the longest ago, and their keys begin anew. They
 * go by halves: to remove one alone from the front of a map takes longer the more went before.
 */
export function createBuckets(rate: Rate, bucketsMax: number, now: () => number): Buckets {
  if (rate.perSecond === Number.POSITIVE_INFINITY) return { take: () => 0 };
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()];
  return {
    take(key) {
      const nowMs = now();
      const known = recent.get(key) ?? older.get(key) ?? nowMs;
      const { fullAtMs, waitMs } = takeToken(known, nowMs, rate);
      recent.set(key, fullAtMs);
      if (recent.size >= bucketsMax / 2) [recent, older] = [new Map(), recent];
      return waitMs;
    },
  };
}

/** How often one caller, and one address, may call. Nobody on this machine is counted. */
export interface Pace {
  /** Whether anything is bounded: only then it has to be known who sends a call. */
  readonly isOn: boolean;
  /** Counts a request for the address that it comes from. Throws where it is one too many. */
  countAddress(sender: Sender): void;
  /** Counts a request that is refused in any case; answers what it is refused with. */
  refusalFor(sender: Sender, refusal: ConnectError): ConnectError;
  /** Counts a call for the user who makes it. Throws where it is one too many. */
  countCaller(sender: Sender, userId: string): void;
}

type PaceLimits = Pick<
  GatewayLimits,
  "callerRate" | "callerBurst" | "addressRate" | "addressBurst" | "siteAddresses" | "bucketsMax"
>;

/** The clock never goes back, and has any origin. */
export function createPace(limits: PaceLimits, now = () => performance.now()): Pace {
  const { callerRate, callerBurst, addressRate, addressBurst, siteAddresses, bucketsMax } = limits;
  const bucketsAt = (perSecond: number, burst: number) =>
    createBuckets({ perSecond, burst }, bucketsMax, now);
  const callers = bucketsAt(callerRate, callerBurst);
  const addresses = bucketsAt(addressRate, addressBurst);
  const sites = bucketsAt(addressRate * siteAddresses, addressBurst * siteAddresses);
  const pastAddress = ({ pacedAs }: Sender) => {
    if (pacedAs === undefined) return undefined;
    const [, site] = widerNetworksOf(pacedAs);
    const past = refusalOf("The address", addresses.take(pacedAs));
    if (past !== undefined || site === undefined) return past;
    return refusalOf("The network of the address", sites.take(site));
  };
  return {
    isOn: Math.min(callerRate, addressRate) < Number.POSITIVE_INFINITY,
    countAddress: (sender) => throwIf(pastAddress(sender)),
    refusalFor: (sender, refusal) => pastAddress(sender) ?? refusal,
    countCaller: ({ pacedAs }, userId) => {
      if (pacedAs !== undefined) throwIf(refusalOf("The caller", callers.take(userId)));
    },
  };
}

function refusalOf(who: string, retryMs: number): ConnectError | undefined {
  if (retryMs === 0) return undefined;
  const message = `${who} makes more calls than allowed: retry in ${Math.ceil(retryMs / 1_000)} s.`;
  return failure({ reason: "TOO_MANY_CALLS", message, retryMs });
}

function throwIf(refusal: ConnectError | undefined): void {
  if (refusal !== undefined) throw refusal;
}
