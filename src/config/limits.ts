import { availableParallelism } from "node:os";
import { sandboxLimits } from "../actions/limits.ts";
import { watchLimits } from "../api/watch.ts";
import { imageLimits } from "../domain/image/limits.ts";
import type { SendLimits } from "../domain/sending.ts";
import { fetchLimits } from "../fetch/fetcher.ts";
import { defaultLimits, type GatewayLimits } from "../gateway/call/limits.ts";
import { workerLimits } from "../notify/limits.ts";
import { keyPairsWaitingMax } from "../secrets/key-pairs.ts";
import { passwordsWaitingMax, threadsFor } from "../secrets/passwords/passwords.ts";
import { objectLimits } from "../store/objects.ts";
import { postgresLimits } from "../store/postgres/limits.ts";
import { listLimits } from "../store/query.ts";
import { sqliteLimits } from "../store/sqlite/limits.ts";
import type { Config } from "./config.ts";

/** Milliseconds that an HTTP/2 connection lives where several processes share the port. */
export const sharedConnectionAgeMs = 30 * 60_000;

/** What one process may take, by the part that keeps to it. */
export type ProcessLimits = ReturnType<typeof limitsFor>;

type Settings = SendLimits & GatewaySettings & Pick<Config, "processes">;

type GatewaySettings = Pick<
  Config,
  | "bodyBytesMax"
  | "requestTimeoutMs"
  | "drainMs"
  | "stopGraceMs"
  | "callerRate"
  | "callerBurst"
  | "addressRate"
  | "addressBurst"
>;

/** What one process may have of what there is for all: at least so much. */
type Share = (limit: number, least?: number) => number;

/**
 * The limits of one of the processes: all of them together may take what one by itself may. Bounds
 * on one call or one connection stay as they are, and no process gets less than it needs to serve
 * one of each.
 */
export function limitsFor(settings: Settings, cores = availableParallelism()) {
  const { processes, ...sends } = settings;
  const share: Share = (limit, least = 1) => Math.max(least, Math.floor(limit / processes));
  return {
    gateway: gatewayLimitsFor(settings, share),
    watches: {
      ...watchLimits,
      watches: share(watchLimits.watches),
      watchesOfUser: share(watchLimits.watchesOfUser),
      allHeldBytes: share(watchLimits.allHeldBytes),
      largeEvents: share(watchLimits.largeEvents),
      largeEventsOfOrganization: share(watchLimits.largeEventsOfOrganization),
    },
    sends: {
      smsPerNumber: sends.smsPerNumber,
      smsPerOrganization: sends.smsPerOrganization,
      mailsPerAddress: sends.mailsPerAddress,
      mailsPerOrganization: sends.mailsPerOrganization,
      registrationMails: sends.registrationMails,
    },
    worker: { concurrentMax: share(workerLimits.concurrentMax) },
    objects: { keptBytes: share(objectLimits.keptBytes) },
    store: {
      waitingAppends: share(sqliteLimits.waitingAppends),
      // Connections to the database, and lists that may hold one at once. Of these four at least,
      // one appends, one is for a list, and the others are for all else.
      connections: share(postgresLimits.connections, 4),
      lists: share(postgresLimits.lists),
    },
    passwords: {
      concurrency: share(threadsFor(cores)),
      waitingMax: share(passwordsWaitingMax),
    },
    keyPairs: { waitingMax: share(keyPairsWaitingMax) },
    fetch: {
      ...fetchLimits,
      concurrentMax: share(fetchLimits.concurrentMax),
      waitingMax: share(fetchLimits.waitingMax),
      shareMax: share(fetchLimits.shareMax),
      shareWaitingMax: share(fetchLimits.shareWaitingMax),
    },
    sandbox: {
      // One for an organization, one for all others, and one for those that are prompt.
      threads: share(sandboxLimits.threads, 3),
      waiting: share(sandboxLimits.waiting),
      waitingOfOrganization: share(sandboxLimits.waitingOfOrganization),
    },
  };
}

function gatewayLimitsFor(settings: Settings, share: Share): GatewayLimits {
  const { processes, bodyBytesMax, requestTimeoutMs, drainMs, stopGraceMs, ...rates } = settings;
  const all = { ...defaultLimits, bodyBytesMax, requestTimeoutMs, drainMs, stopGraceMs };
  return {
    ...all,
    drainQuietMs: drainMs / 2,
    connectionsMax: share(all.connectionsMax),
    connectionsOfAddressMax: share(all.connectionsOfAddressMax),
    openCallsMax: share(all.openCallsMax),
    openCallsOfAddressMax: share(all.openCallsOfAddressMax),
    openCallsOfSubscriberMax: share(all.openCallsOfSubscriberMax),
    openCallsOfSiteMax: share(all.openCallsOfSiteMax),
    openStreamsMax: share(all.openStreamsMax),
    openStreamsOfAddressMax: share(all.openStreamsOfAddressMax),
    openStreamsOfSubscriberMax: share(all.openStreamsOfSubscriberMax),
    openStreamsOfSiteMax: share(all.openStreamsOfSiteMax),
    // Large answers stop at half of it.
    answersBytesMax: share(all.answersBytesMax, 2 * listLimits.stateBytes),
    // One address has a quarter of it: some images.
    unreadBytesMax: share(all.unreadBytesMax, 16 * imageLimits.bytes),
    // The largest answer of reflection is about a fifth of that.
    streamAnswersBytesMax: share(all.streamAnswersBytesMax, 1024 * 1024),
    // Methods that ask for no token stop at half of it.
    bufferedBytesMax: share(all.bufferedBytesMax, Math.min(2 * bodyBytesMax, all.bufferedBytesMax)),
    halfSentCallsMax: share(all.halfSentCallsMax),
    callerRate: rates.callerRate / processes,
    callerBurst: share(rates.callerBurst),
    addressRate: rates.addressRate / processes,
    addressBurst: share(rates.addressBurst),
    connectionAgeMs: processes === 1 ? all.connectionAgeMs : sharedConnectionAgeMs,
  };
}
