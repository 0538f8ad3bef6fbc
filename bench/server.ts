import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { v7 } from "uuid";
import { createServices } from "../src/api/services.ts";
import { readConfig } from "../src/config.ts";
import { createExecute } from "../src/execute/execute.ts";
import { createFeed } from "../src/feed.ts";
import { createFetcher } from "../src/fetch/fetcher.ts";
import { makeDataDir, setUp, tokenFile } from "../src/first-start.ts";
import { defaultLimits } from "../src/gateway/limits.ts";
import { createGateway } from "../src/gateway/server.ts";
import { createLogs } from "../src/log.ts";
import { projector } from "../src/projection.ts";
import { createKeyring } from "../src/secrets/keyring.ts";
import { loadOrCreateKeyFile } from "../src/secrets/keys.ts";
import { createPasswords } from "../src/secrets/passwords/passwords.ts";
import { openSqlite } from "../src/store/sqlite/sqlite.ts";
import { answerParent } from "./child.ts";
import { noopService } from "./noop.ts";

/**
 * The service as `src/main.ts serve` composes it, with its default settings and its log, plus the
 * no-op. It runs in a process of its own; the first argument is an empty data directory.
 */
const [, , dataDir = "bench/out/data"] = process.argv;
const config = readConfig(["--port", "0", "--data-dir", dataDir], {});
const { log, logCall } = createLogs(config.logLevel);
await makeDataDir(dataDir);
const now = Date.now;
const newId = () => v7();
const store = await openSqlite({ path: join(dataDir, "iam.db"), projector });
const execute = createExecute(store, now);
const project = await setUp({ execute, dataDir, newId, random: randomBytes });
if (project === undefined) throw new Error(`${dataDir} is in use already`);
const random = randomBytes;
const service = {
  ...{ execute, store, newId, random, now },
  feed: createFeed(store),
  keyring: createKeyring(await loadOrCreateKeyFile(dataDir, random), random),
  passwords: createPasswords({ random }),
  fetch: createFetcher({ allow: [] }),
  publicUrl: () => "http://127.0.0.1",
};
const gateway = await createGateway({
  services: [...createServices(service), noopService()],
  store,
  log,
  logCall,
  now,
  limits: { ...defaultLimits, ...config },
  corsOrigins: config.corsOrigins,
});
const { port } = await gateway.listen(config.host, config.port);
const token = (await readFile(join(dataDir, tokenFile), "utf8")).trim();
const profiler = new Session();

const answers = {
  target: () => ({ port, token, project }),
  /** CPU time of all threads so far, in microseconds. */
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Resident bytes, after a full garbage collection if one is asked for. */
  residentBytes: ({ collect }: { readonly collect: boolean }) => {
    if (collect) globalThis.gc?.();
    return process.memoryUsage.rss();
  },
  startProfile: async () => {
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.setSamplingInterval", { interval: 200 });
    await profiler.post("Profiler.start");
  },
  /** Writes the profile since its start to the file. */
  stopProfile: async ({ file }: { readonly file: string }) => {
    const { profile } = await profiler.post("Profiler.stop");
    profiler.disconnect();
    await writeFile(file, JSON.stringify(profile));
  },
};

/** What can be asked of the server's process. */
export type ServerAnswers = typeof answers;

answerParent(answers, async () => {
  await gateway.close();
  await store.close();
});
