import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { format } from "node:util";
import { v7 } from "uuid";
import type { Service } from "./api/service.ts";
import { createServices } from "./api/services.ts";
import { readCertificate } from "./certificate.ts";
import { type Config, ConfigError, flagOf, labelOf, readConfig, settings } from "./config.ts";
import { instance, instanceId } from "./domain/instance.ts";
import { streamOf } from "./domain/noun.ts";
import { createExecute } from "./execute/execute.ts";
import { createFeed } from "./feed.ts";
import { createFetcher } from "./fetch/fetcher.ts";
import { makeDataDir, setUp, tokenFile } from "./first-start.ts";
import { defaultLimits } from "./gateway/limits.ts";
import { createGateway, type Gateway } from "./gateway/server.ts";
import { createLogs, type Logs } from "./log.ts";
import { printRebuild, printVerification, type Verify } from "./maintain.ts";
import { checkKeyring, keysInDirectory } from "./master-key.ts";
import { type ChannelOptions, createChannels } from "./notify/channels.ts";
import { outboxDirectory } from "./notify/outbox.ts";
import { asksToSend, startWorkers, type Worker } from "./notify/worker.ts";
import { projector } from "./projection.ts";
import { FileUnusable } from "./secrets/exclusive-file.ts";
import { createKeyring } from "./secrets/keyring.ts";
import { KeyringInvalid } from "./secrets/keys.ts";
import { createPasswords } from "./secrets/passwords/passwords.ts";
import type { RandomBytes } from "./secrets/tokens.ts";
import { afterAppend } from "./store/after-append.ts";
import { rebuildSqlite } from "./store/sqlite/rebuild-file.ts";
import { openSqlite } from "./store/sqlite/sqlite.ts";
import { verifySqlite } from "./store/sqlite/verify/verify.ts";
import type { Store } from "./store/store.ts";

/** The command line. It is the only place that chooses implementations. */
async function main(argv: readonly string[]): Promise<void> {
  const [command = "serve", ...flags] = argv[0]?.startsWith("-") ? ["serve", ...argv] : argv;
  if (argv.includes("--help") || command === "help") return say(help());
  const run = commands.get(command);
  if (run === undefined) {
    // Anything but a plain word may be the value of a flag, and so a secret.
    const isWord = /^[a-z]{1,20}$/.test(command);
    const what = isWord ? `unknown command ${command}` : "the first argument is no command or flag";
    throw new ConfigError(`${what}: see --help`);
  }
  await run(readConfig(flags, process.env));
}

const commands: ReadonlyMap<string, (config: Config) => Promise<void>> = new Map([
  ["serve", serve],
  ["verify", verify],
  ["rebuild", rebuild],
]);

async function verify({ dataDir }: Config): Promise<void> {
  const path = logIn(dataDir);
  // Whoever reads no further, such as head, has read enough.
  process.stdout.on("error", () => {});
  const check: Verify = (report) => verifySqlite({ path, projector }, report);
  if (!(await printVerification(path, check, say))) process.exitCode = 1;
}

async function rebuild({ dataDir }: Config): Promise<void> {
  const path = logIn(dataDir);
  await printRebuild(path, () => rebuildSqlite({ path, projector }), say);
}

function logIn(dataDir: string): string {
  return join(resolve(dataDir), "iam.db");
}

async function serve(config: Config): Promise<void> {
  const { log, logCall, exit } = createLogs(config.logLevel);
  takeStrayErrors(log, exit);
  const { tlsCert, tlsKey, corsOrigins } = config;
  const certificate = tlsCert === "" ? undefined : await readCertificate(tlsCert, tlsKey);
  const dataDir = resolve(config.dataDir);
  await makeDataDir(dataDir);

  const now = Date.now;
  const newId = () => v7();
  const file = await openLog(logIn(dataDir));
  const feed = createFeed(file);
  const store = afterAppend(file, (append) => {
    feed.wake();
    if (asksToSend(append)) worker?.wake();
  });
  const execute = createExecute(store, now);
  const random = randomBytes;
  const keys = config.masterKeys ?? (await keysInDirectory(dataDir, store, random));
  const keyring = createKeyring(keys, random);
  const passwords = createPasswords({ random });
  const fetch = createFetcher({ allow: config.fetchAllow, http: config.fetchHttp });
  let worker: Worker | undefined;
  let listeningUrl = "";
  const publicUrl = () => config.publicUrl || listeningUrl;
  const service: Service = {
    ...{ execute, store, feed, newId, random, now, keyring, passwords, fetch, publicUrl },
  };
  const gateway = await createGateway({
    services: createServices(service),
    store,
    log,
    logCall,
    now,
    limits: { ...defaultLimits, ...config },
    corsOrigins,
    ...(certificate ? { certificate } : {}),
  });
  const close = async () => {
    await gateway.close();
    await worker?.stop();
    await passwords.close();
    await store.close();
  };
  try {
    await checkKeyring(keyring, store, execute);
    // First the port: a start that fails for want of it leaves the first start to the next.
    const url = await listen(gateway, config);
    listeningUrl = url;
    const [existing] = await store.load([streamOf(instance, instanceId)]);
    const isFirst = existing?.version === 0;
    const project = isFirst && (await setUp({ execute, dataDir, newId, random }));
    if (isFirst) await checkKeyring(keyring, store, execute);

    const channels = createChannels(channelOptions(config, { dataDir, now, random }));
    const jitter = Math.random;
    worker = startWorkers({ store, execute, channels, keyring, publicUrl, now, jitter, log });
    stopOnSignal(log, close, exit);
    renewOnSignal(log, gateway, config);
    if (project) say(firstCall({ url, tokenPath: join(dataDir, tokenFile), project, tlsCert }));
    say(`listening on ${url}`);
  } catch (error) {
    await close();
    throw error;
  }
}

function channelOptions(
  { smtp, smtpFrom: from, smsUrl: url, smsKey: key }: Config,
  rest: { readonly dataDir: string; readonly now: () => number; readonly random: RandomBytes },
): ChannelOptions {
  return {
    ...{ from, outbox: join(rest.dataDir, outboxDirectory), now: rest.now, random: rest.random },
    ...(smtp === undefined ? {} : { smtp }),
    ...(url === "" ? {} : { sms: { url, key } }),
  };
}

type Log = Logs["log"];
type Exit = Logs["exit"];

/** Whatever nobody caught ends the process: what it left in memory cannot be trusted. */
function takeStrayErrors(log: Log, exit: Exit): void {
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "a defect ends the service");
    exit(1);
  });
  // Libraries that still speak to the console are part of the log.
  console.error = (...words: readonly unknown[]) => log.warn({ words: format(...words) });
}

async function openLog(path: string): Promise<Store> {
  try {
    return await openSqlite({ path, projector });
  } catch (cause) {
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

/** Answers the URL that the service has from then on. */
async function listen(gateway: Gateway, { host, port, tlsCert }: Config): Promise<string> {
  try {
    const { address, family, port: taken } = await gateway.listen(host, port);
    const scheme = tlsCert === "" ? "http" : "https";
    return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "something else listens there" : code;
    const where = `port ${port}, ${labelOf(settings.port)}, of ${host}, ${labelOf(settings.host)}`;
    throw new ConfigError(`The service cannot listen on ${where}: ${why}`, { cause });
  }
}

/**
 * What a terminal sends on Ctrl+C goes to the whole process group, and npm passes its own copy on:
 * both are one wish.
 */
const sameWishMs = 500;

function stopOnSignal(log: Log, close: () => Promise<void>, exit: Exit): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: string) => {
    if (stoppingSinceMs !== undefined) {
      // Who asks twice does not want to wait.
      if (performance.now() - stoppingSinceMs >= sameWishMs) exit(1);
      return;
    }
    stoppingSinceMs = performance.now();
    log.info({ signal }, "stopping");
    await close();
    log.info("stopped");
    exit(0);
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
}

function renewOnSignal(log: Log, gateway: Gateway, { tlsCert, tlsKey }: Config): void {
  process.on("SIGHUP", async () => {
    if (tlsCert === "") return;
    try {
      gateway.renewCertificate(await readCertificate(tlsCert, tlsKey));
      log.info({ tlsCert }, "the certificate was renewed");
    } catch (err) {
      log.error({ err }, "the certificate was not renewed: the one before stays");
    }
  });
}

interface FirstCall {
  readonly url: string;
  readonly tokenPath: string;
  readonly project: string;
  readonly tlsCert: string;
}

function firstCall({ url, tokenPath, project, tlsCert }: FirstCall): string {
  const trust = tlsCert === "" ? "" : ` --cacert ${shellQuoted(resolve(tlsCert))}`;
  return `This is a new instance. The token of its owner is in ${tokenPath}
Create a first application in another terminal:

  curl${trust} ${url}/management/v1/projects/${project}/apps/oidc \\
    --header "authorization: Bearer $(cat ${shellQuoted(tokenPath)})" \\
    --header 'content-type: application/json' \\
    --data '{"name": "My first application", "redirectUris": ["https://app.example.com/callback"]}'
`;
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function help(): string {
  const lines = Object.values(settings).map(
    ({ name, default: value, meaning }) =>
      `  ${flagOf(name).padEnd(22)} ${name.padEnd(24)} ${meaning} [${value}]`,
  );
  return `Usage: node src/main.ts [serve | verify | rebuild] [flags]

serve (the default) runs the service until SIGTERM or SIGINT.
verify proves that the log and all that follows from it are whole, and changes nothing. It may run
  beside the service. It ends with 1 where something is damaged.
rebuild makes all that follows from the log anew. Stop the service first, and verify: what the log
  has lost can only be told from what a rebuild replaces.

Each setting is a flag or an environment variable; the default stands in brackets:
${lines.join("\n")}`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const kinds = [ConfigError, FileUnusable, KeyringInvalid];
  const known = kinds.some((kind) => error instanceof kind);
  const text = error instanceof Error ? (known ? error.message : error.stack) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
