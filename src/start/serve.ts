import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import { createFetcher } from "../fetch/fetcher.ts";
import { FileUnusable } from "../file.ts";
import type { Gateway } from "../gateway/server.ts";
import { type ChannelOptions, createChannels } from "../notify/channels.ts";
import { outboxDirectory } from "../notify/outbox.ts";
import { startSweeping } from "../notify/sweep.ts";
import { createPeers } from "../port/peer.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import { createPasswords } from "../secrets/passwords/passwords.ts";
import { createRandom } from "../secrets/random.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { logStream } from "../store/chain/keys.ts";
import { readWhole } from "../store/sqlite/chain-file.ts";
import { openSqlite, type SqliteOptions } from "../store/sqlite/sqlite.ts";
import type { Store } from "../store/store.ts";
import { cannotListen } from "./cannot-listen.ts";
import { readCertificate } from "./certificate.ts";
import { type Config, ConfigError, settings } from "./config.ts";
import { keyringFinder } from "./find-keyring.ts";
import { firstCall, makeDataDir, setUp, tokenFile } from "./first-start.ts";
import { anchorOf, fileOfHead, headFile } from "./head-places.ts";
import { keepHeads } from "./heads.ts";
import { checkHistory, recordHistory } from "./history.ts";
import { createIds } from "./ids.ts";
import { limitsFor } from "./limits.ts";
import type { Logs } from "./log.ts";
import { createLogKeys } from "./log-keys.ts";
import { logIn } from "./log-path.ts";
import { checkKeyring } from "./master-key.ts";
import { projector } from "./projector.ts";
import { createService } from "./service.ts";

/** A service that takes calls. */
export interface Running {
  /** The address that it listens on. */
  readonly url: string;
  /** What a new instance says to whoever started it: where the token is, and a first call. */
  readonly welcome: string | undefined;
  /** With TLS, reads the certificate again. Rejects as the start does, and keeps the old one. */
  readonly renewCertificate: (() => Promise<void>) | undefined;
  /**
   * Resolves with the cause where the disk has failed in such a way that another process has to
   * read what it holds; undefined where nothing is written here.
   */
  readonly lost: Promise<Error> | undefined;
  /** Stops in good order: calls in flight finish, messages on their way arrive. */
  close(): Promise<void>;
}

/** What somebody decides for one start. */
export interface Decided {
  /** A backup that the log goes on from, though it is not the one that there was. */
  readonly historyFrom?: string | undefined;
}

/**
 * Starts the service in this process, as one of those that share the port where the configuration
 * has several, with its log, its keys and all that it needs. Rejects with a ConfigError, a
 * FileUnusable or a KeyringInvalid, whose sentence says what to change; then nothing is left open.
 */
export async function serve(
  config: Config,
  logs: Pick<Logs, "log" | "logCall">,
  { historyFrom }: Decided = {},
): Promise<Running> {
  const { tlsCert, tlsKey, corsOrigins } = config;
  const certificate = tlsCert === "" ? undefined : await readCertificate(tlsCert, tlsKey);
  const dataDir = resolve(config.dataDir);
  await makeDataDir(dataDir);

  const now = Date.now;
  const random = createRandom(randomBytes);
  const newId = createIds(now, random);
  const limits = limitsFor(config);
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  const sources = { dataDir, now, newId, random, logs };
  const storage = { limits: limits.store, log: logs.log, lost: lose };
  const history = await openHistory(config, sources, storage, historyFrom);
  const { heads, keyring, accepted } = history;
  const { log } = heads;
  const passwords = createPasswords({ random, ...limits.passwords });
  const closing: (() => unknown)[] = [() => passwords.close(), heads.close, history.close];
  const close = async () => {
    for (const part of closing) await part();
  };
  try {
    let links = "";
    const service = await createService({
      ...{ log, passwords, now, newId, random, logs, corsOrigins },
      ...{ limits: limits.gateway, watchLimits: limits.watches },
      ...{ workerLimits: limits.worker, objectLimits: limits.objects },
      keyring: () => keyring({ isNew: false, keyIds: [] }),
      peers: createPeers(config.trustedProxies),
      fetch: createFetcher({
        ...{ allow: config.fetchAllow, http: config.fetchHttp, limits: limits.fetch },
      }),
      publicUrl: () => config.publicUrl || links,
      ...(certificate ? { certificate } : {}),
    });
    closing.unshift(service.close);
    const { gateway, store, execute } = service;
    if (accepted !== undefined) await recordHistory(execute, log.log, accepted);
    await heads.begin(accepted !== undefined);
    await checkKeyring(service.keyring, store, execute);
    // First the port: a start that fails for want of it leaves the first start to the next.
    const listening = await listen(gateway, config);
    links = listening.links;
    const [existing] = await store.load([streamOf(instance, instanceId)]);
    const isFirst = existing?.version === 0;
    const project = isFirst ? await setUp({ execute, dataDir, newId, random }) : undefined;
    if (isFirst) await checkKeyring(service.keyring, store, execute);
    const channels = channelOptions(config, { dataDir, now, random });
    service.deliver(createChannels(channels));
    if (!listening.isLoopback && !(channels.smtp && channels.sms)) sayOutbox(channels, logs);
    const sweeping = { directory: channels.outbox, now, log: logs.log };
    closing.unshift(await startSweeping(sweeping));
    const { url } = listening;
    const tokenPath = join(dataDir, tokenFile);
    return {
      url,
      welcome: project && firstCall({ url, tokenPath, project, tlsCert }),
      renewCertificate:
        certificate &&
        (async () => gateway.renewCertificate(await readCertificate(tlsCert, tlsKey))),
      lost,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Sources {
  readonly dataDir: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: RandomBytes;
  readonly logs: Pick<Logs, "log">;
}

/** Opens the log, if it is the one that there was or the operator accepts it, and its heads. */
async function openHistory(
  config: Config,
  { dataDir, now, newId, random, logs }: Sources,
  storage: Pick<SqliteOptions, "limits" | "log" | "lost">,
  historyFrom: string | undefined,
) {
  const path = logIn(dataDir);
  const keyring = keyringFinder({ masterKeys: config.masterKeys, dataDir, random });
  const keys = createLogKeys({ keyring, newId, now, random });
  const opened = await openLog(path, { keys, random, ...storage });
  try {
    const own = await opened.readStream(logStream(opened.log), 0, ownEventsMax);
    const key = await keys.open(opened.log, own);
    const places = placesOf(config, dataDir, random);
    const readBackup = historyFrom && (() => readWhole({ path: historyFrom, keys }));
    const store = { store: opened, path, key, places };
    const accepted = await checkHistory(store, readBackup || undefined);
    const heads = keepHeads({ log: opened, key, places, now, lines: logs.log });
    return { heads, keyring, accepted, close: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** More than a log says of itself: an event for each new master key and accepted history. */
const ownEventsMax = 100_000;

/** Where heads of the log are kept. */
function placesOf({ anchorUrl }: Config, dataDir: string, random: RandomBytes) {
  const file = fileOfHead(join(dataDir, headFile), headFile, random);
  return anchorUrl === "" ? [file] : [file, anchorOf(anchorUrl, random)];
}

async function openLog(
  path: string,
  options: Omit<SqliteOptions, "path" | "projector">,
): Promise<Store> {
  try {
    return await openSqlite({ path, projector, ...options });
  } catch (cause) {
    if (cause instanceof KeyringInvalid || cause instanceof FileUnusable) throw cause;
    throw new ConfigError(`The event log ${path} cannot be opened: ${messagesOf(cause)}`, {
      cause,
    });
  }
}

/** The message of an error and of what caused it. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${messagesOf(error.cause)}`;
}

/** Takes the port. Answers the URL that it listens on, and the one that links begin with. */
async function listen(
  gateway: Gateway,
  config: Config,
): Promise<{ readonly url: string; readonly links: string; readonly isLoopback: boolean }> {
  const { host, port, processes, tlsCert } = config;
  try {
    const { address, family, port: taken } = await gateway.listen(host, port, processes > 1);
    const scheme = tlsCert === "" ? "http" : "https";
    const urlOf = (name: string) => `${scheme}://${name}:${taken}`;
    const url = urlOf(family === "IPv6" ? `[${address}]` : address);
    // Passkeys belong to a host name, and the port answers on both loopback addresses.
    const isLoopback = address === "127.0.0.1" || address === "::1";
    return { url, links: isLoopback ? urlOf("localhost") : url, isLoopback };
  } catch (cause) {
    throw cannotListen(config, cause);
  }
}

/** Says where messages lie that nothing sends: whoever reads them gets in as those they are for. */
function sayOutbox({ outbox: directory }: ChannelOptions, { log }: Pick<Logs, "log">): void {
  const settled = `${settings.smtp.name} and ${settings.smsUrl.name}`;
  const what = `messages that no channel takes are files, for this machine alone: set ${settled}`;
  log.warn({ directory }, what);
}

function channelOptions(
  { smtp, smtpFrom: from, smsUrl: url, smsKey: key, cleartext }: Config,
  rest: { readonly dataDir: string; readonly now: () => number; readonly random: RandomBytes },
): ChannelOptions {
  return {
    ...{
      from,
      cleartext,
      outbox: join(rest.dataDir, outboxDirectory),
      now: rest.now,
      random: rest.random,
    },
    ...(smtp === undefined ? {} : { smtp }),
    ...(url === "" ? {} : { sms: { url, key } }),
  };
}
