import type { SandboxLimits } from "../actions/limits.ts";
import { createSandbox, type Sandbox } from "../actions/sandbox.ts";
import type { Alias } from "../alias.ts";
import { createPasskeys } from "../api/account/webauthn.ts";
import type { Service } from "../api/service.ts";
import { createServices, type ServedService } from "../api/services.ts";
import { openPersonalFile } from "../api/user/personal-file.ts";
import { readPhoneNumber } from "../api/user/phone-number.ts";
import { type WatchLimits, watchLimits } from "../api/watch.ts";
import { type SendLimits, sendLimits } from "../domain/sending.ts";
import { createExecute, type Execute } from "../execute/execute.ts";
import { findImage } from "../execute/images.ts";
import type { Fetcher } from "../fetch/fetcher.ts";
import { defaultLimits, type GatewayLimits } from "../gateway/call/limits.ts";
import { createGateway, type Gateway } from "../gateway/server.ts";
import { beginTime, type Clock, timedStore } from "../log/clock.ts";
import type { Measures } from "../metrics/measures.ts";
import type { Channels } from "../notify/channel/channel.ts";
import { tellingTroubles } from "../notify/channel/trouble.ts";
import type { WorkerLimits } from "../notify/limits.ts";
import { saySpent } from "../notify/spent.ts";
import { asksToSend, startWorkers, type Worker } from "../notify/worker.ts";
import { registerPages } from "../pages/routes.ts";
import { createPeers, type Peers } from "../port/peer.ts";
import type { Certificate } from "../port/tls.ts";
import { createClientStreams } from "../provider/base/client-streams.ts";
import { createProvider, type OpenIDProvider } from "../provider/provider.ts";
import { createKeyPairs, type KeyPairs, keyPairsWaitingMax } from "../secrets/key-pairs.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { afterAppend } from "../store/after-append.ts";
import { createFeed } from "../store/feed.ts";
import { createObjects, objectLimits } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import { inTurns } from "../store/turns.ts";
import type { Logs } from "./logger.ts";

/** What the service is made of. What opened a part closes it, after the service. */
export interface ServiceParts {
  /** The log and what follows from it. */
  readonly log: Store;
  /** The keyring for this log, which may have to be looked at to find it. */
  readonly keyring: (log: Store) => Keyring | Promise<Keyring>;
  readonly passwords: Passwords;
  /** Left out, as many wait as may in one process. */
  readonly keyPairs?: KeyPairs;
  /** For URLs that callers give. */
  readonly fetcher: Fetcher;
  readonly publicUrl: () => string;
  /** The time of the log. */
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: RandomBytes;
  readonly logs: Logs;
  /** What is measured of it; left out, nothing is. */
  readonly measures?: Measures;
  /** In place of the defaults. */
  readonly limits?: Partial<GatewayLimits>;
  readonly watchLimits?: Partial<WatchLimits>;
  /** Who has a share of the port, and whose word counts on who sends a request. */
  readonly peers?: Peers;
  readonly workerLimits?: Partial<WorkerLimits>;
  readonly sendLimits?: Partial<SendLimits>;
  readonly objectLimits?: Partial<typeof objectLimits>;
  readonly sandboxLimits?: Partial<SandboxLimits>;
  /** Hosts that scripts may ask; left out, they may ask none. */
  readonly actionHosts?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly alias?: Alias | undefined;
  /** Whether events of logins have the network that they come from; left out, they do. */
  readonly eventNetworks?: boolean;
  readonly actionsTokens?: boolean;
  /** Turns TLS on. */
  readonly certificate?: Certificate;
  /** Whether usual unary calls take the native wire; left out, they do. */
  readonly nativeWire?: boolean;
  /** Methods besides those of the contract, for measuring. */
  readonly services?: readonly ServedService[];
}

/** The whole service, ready to listen. */
export interface ComposedService {
  readonly store: Store;
  readonly execute: Execute;
  readonly keyring: Keyring;
  readonly gateway: Gateway;
  /** Begins to deliver what waits to be sent, and all that comes. Called once. */
  deliver(channels: Channels): void;
  /** Has callers go elsewhere while it takes calls: see `Gateway`. */
  drain: Gateway["drain"];
  /** Takes no new calls, lets those in flight finish, and lets messages on their way arrive. */
  close(): Promise<void>;
}

function sandboxOf({ fetcher, random, alias, ...parts }: ServiceParts): Sandbox {
  const http = { ...fetcher, hosts: parts.actionHosts ?? [] };
  return createSandbox({ limits: parts.sandboxLimits, random, alias, http });
}

/** The store, whose condition says as well how many runs of actions there were. */
function tellingRuns<S extends Pick<Store, "condition">>(
  store: S,
  { figures: runs }: Pick<Sandbox, "figures">,
): S {
  return {
    ...store,
    condition: async (nowMs: number) => {
      const { figures, warnings } = await store.condition(nowMs);
      return { figures: { ...figures, ...runs() }, warnings };
    },
  };
}

/** The parts of a service as they are measured; as they are where nothing is. */
function measuredParts(parts: ServiceParts): ServiceParts {
  const { measures, logs } = parts;
  if (measures === undefined) return parts;
  return {
    ...parts,
    log: measures.store(parts.log),
    passwords: measures.passwords(parts.passwords),
    logs: {
      ...logs,
      logCall: both(logs.logCall, measures.call),
      logRequest: both(logs.logRequest, measures.request),
      logRefusal: both(logs.logRefusal, measures.refusal),
    },
  };
}

/** Each line is logged, and counted. */
function both<Line>(log: (line: Line) => void, count: (line: Line) => void) {
  return (line: Line) => {
    log(line);
    count(line);
  };
}

/** The one composition of the service: what is served, tested and measured is made here. */
export async function createService(given: ServiceParts): Promise<ComposedService> {
  const parts = measuredParts(given);
  const { publicUrl, clock, measures } = parts;
  let worker: Worker | undefined;
  const work = await createWork(parts, () => worker?.wake());
  const { store, execute, keyring, now, sandbox } = work.service;
  const { provider, gateway } = await createEntrance(parts, work);
  return {
    store,
    execute,
    keyring,
    gateway,
    deliver: (channels) => {
      worker = startWorkers({
        store,
        execute,
        keyring,
        publicUrl,
        now,
        isSettled: clock.isSettled,
        jitter: Math.random,
        log: parts.logs.log,
        channels: measures?.channels(channels) ?? channels,
        tell: provider.tell,
        limits: parts.workerLimits ?? {},
      });
    },
    drain: gateway.drain,
    close: async () => {
      await gateway.close();
      await worker?.stop();
      await sandbox.close();
    },
  };
}

type Work = Awaited<ReturnType<typeof createWork>>;

/** What does the work of calls, of pages and of logins alike: the store, and what stands on it. */
async function createWork(parts: ServiceParts, wakeWorker: () => void) {
  const { passwords, fetcher, publicUrl, clock, newId, random } = parts;
  const { log } = parts.logs;
  const { now } = clock;
  const timed = timedStore(parts.log, clock, log);
  await beginTime(timed, clock);
  const feed = createFeed(timed);
  const store = afterAppend(inTurns(timed), (append, { spent }) => {
    feed.wake();
    if (asksToSend(append)) wakeWorker();
    for (const quota of spent) saySpent(quota, log);
  });
  const objects = createObjects(store, { ...objectLimits, ...parts.objectLimits });
  const execute = createExecute(store, now, objects, { ...sendLimits, ...parts.sendLimits });
  const service = {
    execute,
    store,
    feed,
    newId,
    random,
    now,
    keyring: await parts.keyring(store),
    passwords,
    ...fetcher,
    publicUrl,
    watched: new Set<{ after(): bigint }>(),
    sandbox: sandboxOf(parts),
    keyPairs: parts.keyPairs ?? createKeyPairs({ waitingMax: keyPairsWaitingMax }),
  } satisfies Omit<Service, keyof OpenIDProvider["forCalls"]>;
  return { service, objects };
}

/** The ways by which the work is asked for: the provider, and the gateway in front of all. */
async function createEntrance(parts: ServiceParts, { service, objects }: Work) {
  const { store, now, publicUrl } = service;
  const { measures, alias, certificate } = parts;
  const { logCall, ...logs } = parts.logs;
  const told = tellingRuns(tellingTroubles(store), service.sandbox);
  measures?.ask({ ...service, store: told });
  const provider = createProvider({
    ...service,
    ...logs,
    objects,
    clientStreams: createClientStreams(store, objects),
    countFactor: measures?.login ?? (() => {}),
    machineNow: Date.now,
    eventNetworks: parts.eventNetworks ?? true,
    actionsTokens: parts.actionsTokens ?? false,
    alias,
    readPhoneNumber,
    passkeys: createPasskeys(service),
    openPersonalData: (person) => openPersonalFile({ ...service, ...forCalls }, person),
  });
  const { findAccess, findBrand, forCalls } = provider;
  const watches = { ...watchLimits, ...parts.watchLimits };
  const gateway = await createGateway({
    ...logs,
    logCall,
    store: told,
    objects,
    findAccess,
    now,
    services: [...createServices({ ...service, ...forCalls }, watches), ...(parts.services ?? [])],
    pages: async (server, handlers, options) => {
      const site = { ...options, publicUrl, findBrand, more: provider.pages(options.front) };
      const pages = { ...site, findImage: (name: string) => findImage(store, name) };
      const showMissing = await registerPages(server, handlers, pages);
      provider.register(server, options.front);
      return showMissing;
    },
    nativeWire: parts.nativeWire ?? true,
    limits: { ...defaultLimits, ...parts.limits },
    peers: parts.peers ?? createPeers([]),
    alias,
    corsOrigins: parts.corsOrigins ?? [],
    ...(certificate ? { certificate } : {}),
  });
  return { provider, gateway };
}
