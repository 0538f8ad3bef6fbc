import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { cannotListen, cannotTake } from "../config/cannot-listen.ts";
import { type Config, ConfigError, labelOf } from "../config/config.ts";
import { limitsFor, type ProcessLimits } from "../config/limits.ts";
import { publicUrlAt } from "../config/public-url.ts";
import { settings } from "../config/settings.ts";
import { createFetcher } from "../fetch/fetcher.ts";
import type { Gateway } from "../gateway/server.ts";
import { acceptTime, createClock } from "../log/clock.ts";
import { findLog } from "../log/find.ts";
import { createIds } from "../log/ids.ts";
import { lastBackupIn } from "../log/last-backup.ts";
import { isNew, openHistory } from "../log/open-history.ts";
import type { Measures } from "../metrics/measures.ts";
import type { Reading } from "../metrics/registry.ts";
import { type ChannelOptions, createChannels } from "../notify/channel/channels.ts";
import { outboxDirectory } from "../notify/channel/outbox.ts";
import { startSweeping } from "../notify/channel/outbox-sweep.ts";
import { createPeers } from "../port/peer.ts";
import { createKeyPairs } from "../secrets/key-pairs.ts";
import { createPasswords } from "../secrets/passwords/passwords.ts";
import { createRandom } from "../secrets/random.ts";
import { hashSecret, type RandomBytes } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";
import { readCertificate } from "./certificate.ts";
import { startClearing } from "./clear.ts";
import { startErasingAsked } from "./erase-asked.ts";
import { firstCall, isOwnersToken, makeDataDir, setUp } from "./first-start.ts";
import { startForgetting } from "./forget.ts";
import { watchKeyFile } from "./key-watch.ts";
import type { Logs } from "./logger.ts";
import { checkKeyring } from "./master-key.ts";
import { leaveFirstOwnerLink } from "./owner-link.ts";
import { closeToOthers } from "./permissions.ts";
import { startRetaining } from "./retain.ts";
import { createService } from "./service.ts";
import { beginFirstStart } from "./unfinished.ts";
import { readVersion } from "./version.ts";

/** A service that takes calls. */
export interface Running {
  /** The address that it listens on. */
  readonly url: string;
  /** The one by which people and applications know it (OpenID Connect's issuer). */
  readonly issuer: string;
  /** What a new instance says at its start: where the token is, and a first call. */
  readonly welcome: string | undefined;
  /** With TLS, reads the certificate again. Rejects as the start does, and keeps the old one. */
  readonly renewCertificate: (() => Promise<void>) | undefined;
  /** Where the log lies, and its position at the start. */
  readonly begun: { readonly store: string; readonly position: string };
  /** What is measured, where the configuration has it measured. */
  readonly measure?: (() => Promise<readonly Reading[]>) | undefined;
  /** Where that is served. */
  readonly metricsUrl?: string;
  /**
   * Resolves with the cause where the disk has failed in such a way that another process has to
   * read what it holds; undefined where nothing is written here.
   */
  readonly lost: Promise<Error> | undefined;
  /** What is found wrong with the log while it is served. */
  readonly fault?: {
    /** Resolves where this process finds it. */
    readonly found: Promise<string>;
    /** Takes up what another process has found. */
    take(fault: string): void;
  };
  /**
   * Has callers go elsewhere before the stop, while it takes calls. Resolves when they have had
   * their time (`IAM_DRAIN_MS`), or the signal ends the wait.
   */
  drain(isEnough: AbortSignal): Promise<void>;
  /** Stops in good order: calls in flight finish, messages on their way arrive. */
  close(): Promise<void>;
}

/** What somebody decides for one start. */
export interface Decided {
  /** A backup that the log goes on from, though it is not the one that there was. */
  readonly historyFrom?: string | undefined;
  /** That the clock of the system is right, though it is behind the log. */
  readonly acceptsClock?: boolean;
  /** Whether this process checks the log, which one of several does; left out, it does. */
  readonly audits?: boolean;
  /** The descriptor of a listening socket that is taken in place of host and port. */
  readonly socket?: number | undefined;
}

/**
 * Starts the service in this process, as one of those that share the port where the configuration
 * has several, with its log, its keys and all that it needs. Rejects with a ConfigError, a
 * FileUnusable or a KeyringInvalid, whose sentence says what to change; then nothing is left open.
 */
export async function serve(
  config: Config,
  logs: Logs,
  { acceptsClock = false, historyFrom, audits = true, socket }: Decided = {},
): Promise<Running> {
  const { tlsCert, tlsKey, corsOrigins, alias, fetchAllow: allow, fetchHttp: http } = config;
  const certificate = tlsCert === "" ? undefined : await readCertificate(tlsCert, tlsKey);
  const random = createRandom(randomBytes);
  const { dataDir, place, firstStart } = await prepareDirectory(config, logs.log, random);
  const clock = createClock();
  const newId = createIds(clock.now, random);
  const limits = limitsFor(config);
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  const measures = await measuresFor(config);
  const storage = { limits: limits.store, lost: lose, log: logs.log, committed: measures?.commit };
  const sources = { place, dataDir, now: clock.now, newId, random, logs };
  const decided = { historyFrom, assertNewAllowed: firstStart.assertAllowed };
  const history = await openHistory(config, sources, storage, decided);
  const keyring = () => history.keyring({ isNew: false, keyIds: [] });
  const log = watchKeyFile(history.log, config, { dataDir, keyring, lines: logs.log });
  const passwords = createPasswords({ random, ...limits.passwords });
  const closing = [() => passwords.close(), history.close, () => measures?.close()];
  const channels = channelOptions(config, { dataDir, now, random, store: log });
  const close = async () => {
    for (const part of closing) await part();
  };
  try {
    closing.unshift(await startSweeping({ ...channels, listen: history.listen, log: logs.log }));
    let { publicUrl } = config;
    const service = await createService({
      ...{ log, keyring, passwords, clock, newId, random, logs, corsOrigins, alias },
      ...serviceLimits(limits),
      ...{ peers: createPeers(config.trustedProxies), actionHosts: config.actionsHttp },
      ...{ keyPairs: createKeyPairs(limits.keyPairs), publicUrl: () => publicUrl },
      ...{ eventNetworks: config.eventNetworks, actionsTokens: config.actionsTokens },
      ...{ fetcher: createFetcher({ allow, http, limits: limits.fetch }) },
      ...{ ...(certificate ? { certificate } : {}), ...(measures ? { measures } : {}) },
    });
    closing.unshift(service.close);
    const { gateway, store, execute } = service;
    if (acceptsClock) await acceptTime(execute, clock, logs.log);
    await history.begin(execute);
    await checkKeyring(service.keyring, store, execute);
    // First the port: a start that fails for want of it leaves the first start to the next.
    const listening = await listen(gateway, config, socket);
    publicUrl ||= listening.publicUrl;
    const first = { execute, dataDir, newId, random };
    const isFirst = await isNew(store);
    const project = isFirst ? await setUp(first) : undefined;
    await firstStart.finish({
      isOwners: (token) => isOwnersToken(store, hashSecret(token), clock.now()),
      leaveLink: () => leaveFirstOwnerLink({ ...first, url: publicUrl }),
    });
    if (isFirst) await checkKeyring(service.keyring, store, execute);
    service.deliver(createChannels(channels));
    if (place.isShared || !listening.isLoopback) sayOutbox(channels, logs);
    const periodic = { store, execute, ...clock, newId, log: logs.log };
    closing.unshift(...startPeriodicWork(config, periodic, history.log));
    if (audits) history.audit.begin();
    return {
      ...{ url: listening.url, issuer: publicUrl },
      welcome: project && firstCall({ url: listening.url, dataDir, project, tlsCert }),
      renewCertificate:
        certificate &&
        (async () => gateway.renewCertificate(await readCertificate(tlsCert, tlsKey))),
      begun: { store: place.name, position: String((await store.head()).position) },
      ...{ lost, fault: history.audit, measure: measures?.read, drain: service.drain, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The measures of this process; undefined where the configuration has no port for them. */
async function measuresFor({ metricsPort, dataDir }: Config): Promise<Measures | undefined> {
  if (metricsPort === undefined) return undefined;
  const { createMeasures } = await import("../metrics/measures.ts");
  const { version } = await readVersion();
  return createMeasures({
    ...{ version, backupMs: () => lastBackupIn(dataDir) },
    ...{ elapsedMs: () => performance.now(), now },
  });
}

/** The limits of a process as the composition of the service names them. */
function serviceLimits({ gateway, watches, sandbox, sends, worker, objects }: ProcessLimits) {
  return {
    ...{ limits: gateway, watchLimits: watches, sandboxLimits: sandbox },
    ...{ sendLimits: sends, workerLimits: worker, objectLimits: objects },
  };
}

/** Begins what is done again and again; answers what ends each. */
function startPeriodicWork(
  config: Config,
  periodic: Parameters<typeof startClearing>[0] &
    Parameters<typeof startRetaining>[1] &
    Parameters<typeof startErasingAsked>[0],
  log: Store,
) {
  return [
    startForgetting({ ...periodic, store: log }),
    startClearing(periodic),
    ...[startRetaining(config, periodic), startErasingAsked(periodic)],
  ];
}

// What others compare with their clocks has the time of this machine.
const now = () => Date.now();

/** Sees to the data directory, and looks whether there is a log, before it is opened. */
async function prepareDirectory(config: Config, log: Logs["log"], random: RandomBytes) {
  const dataDir = resolve(config.dataDir);
  const place = await findLog(config);
  if (place.isShared && config.masterKeys === undefined) {
    const [keys, database] = [labelOf(settings.masterKeys), labelOf(settings.databaseUrl)];
    throw new ConfigError(`${keys} must be given with ${database}: all nodes need the same keys`);
  }
  await makeDataDir(dataDir);
  await closeToOthers(dataDir, log);
  return { dataDir, place, firstStart: await beginFirstStart(dataDir, place, { random, log }) };
}

/** Takes the port, or the socket. Answers its URL, and the public one that is like it. */
async function listen(
  gateway: Gateway,
  config: Config,
  socket: number | undefined,
): Promise<{ readonly url: string; readonly publicUrl: string; readonly isLoopback: boolean }> {
  const { host, port, processes, tlsCert } = config;
  const take = () =>
    socket === undefined
      ? gateway.listen(host, port, processes > 1)
      : gateway.listenOnSocket(socket);
  try {
    const { address, family, port: taken } = await take();
    const scheme = tlsCert === "" ? "http" : "https";
    const name = family === "IPv6" ? `[${address}]` : address;
    const isLoopback = address === "127.0.0.1" || address === "::1";
    return {
      url: `${scheme}://${name}:${taken}`,
      publicUrl: publicUrlAt(address, taken, tlsCert),
      isLoopback,
    };
  } catch (cause) {
    throw socket === undefined ? cannotListen(config, cause) : cannotTake(cause);
  }
}

/** Says where messages lie that nothing sends: a reader of them gets in as their addressee. */
function sayOutbox(
  { outbox: directory, smtp, sms }: ChannelOptions,
  { log }: Pick<Logs, "log">,
): void {
  if (smtp && sms) return;
  const settled = `${settings.smtp.name} and ${settings.smsUrl.name}`;
  const what = `mails or SMS are written to files on this machine: set ${settled} to send them`;
  log.warn({ directory }, what);
}

function channelOptions(
  { smtp, smtpFrom: from, smsUrl: url, smsKey: key, cleartext }: Config,
  {
    dataDir,
    ...rest
  }: Pick<ChannelOptions, "now" | "random" | "store"> & {
    readonly dataDir: string;
  },
): ChannelOptions {
  return {
    ...{ from, cleartext, outbox: join(dataDir, outboxDirectory), ...rest },
    ...(smtp === undefined ? {} : { smtp }),
    ...(url === "" ? {} : { sms: { url, key } }),
  };
}
