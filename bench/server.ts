import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { watchLimits } from "../src/api/watch.ts";
import { readConfig } from "../src/config/config.ts";
import { parseAllowList } from "../src/fetch/allow.ts";
import { createFetcher } from "../src/fetch/fetcher.ts";
import { createClock } from "../src/log/clock.ts";
import { erasurePlacesOf } from "../src/log/erasure-places.ts";
import { keepErasures } from "../src/log/erasures.ts";
import { keyringFinder } from "../src/log/find-keyring.ts";
import { fileOfHead, headFile, headLockFile } from "../src/log/head-places.ts";
import { keepHeads } from "../src/log/heads.ts";
import { createIds } from "../src/log/ids.ts";
import { createLogKeys } from "../src/log/log-keys.ts";
import { projector } from "../src/log/projector.ts";
import { createPasswords } from "../src/secrets/passwords/passwords.ts";
import { createRandom } from "../src/secrets/random.ts";
import { makeDataDir, setUp, tokenFile } from "../src/start/first-start.ts";
import { createLogs } from "../src/start/logger.ts";
import { checkKeyring } from "../src/start/master-key.ts";
import { createService } from "../src/start/service.ts";
import { logStream } from "../src/store/chain/keys.ts";
import { openFileLock } from "../src/store/sqlite/file-lock.ts";
import { openSqlite } from "../src/store/sqlite/sqlite.ts";
import { answerParent } from "./child.ts";
import { noopService } from "./noop.ts";

/**
 * The service as `src/main.js serve` composes it, with its default settings and its log, plus the
 * no-op. It runs in a process of its own. The first argument is an empty data directory, or one
 * that `fillStore` has filled, and then the second is the id of the project in it.
 */
const [, , dataDir = "bench/out/data", filledProject] = process.argv;
const config = readConfig(["--port", "0", "--data-dir", dataDir], {});
const logs = createLogs(config.logLevel);
await makeDataDir(dataDir);
const random = createRandom(randomBytes);
const newId = createIds(Date.now, random);
const findKeyring = keyringFinder({ masterKeys: undefined, dataDir, random });
const keys = createLogKeys({ keyring: findKeyring, newId, now: Date.now, random });
const opened = await openSqlite({ path: join(dataDir, "iam.db"), projector, keys, random });
const key = await keys.open(opened.log, await opened.readStream(logStream(opened.log), 0, 100));
const lock = openFileLock(join(dataDir, headLockFile));
const heads = keepHeads({
  lock,
  log: opened,
  key,
  places: [fileOfHead(join(dataDir, headFile), headFile, random)],
  now: Date.now,
  lines: logs.log,
});
await heads.begin(false);
const erasures = keepErasures({
  ...{ log: heads.log, key, newId, lines: logs.log, isShared: false },
  places: erasurePlacesOf("", dataDir),
});
const passwords = createPasswords({ random });
const loopback = parseAllowList("127.0.0.1/32");
const service = await createService({
  ...{ log: erasures.log, passwords, random, newId, clock: createClock(), logs, limits: config },
  keyring: () => findKeyring({ isNew: false, keyIds: [] }),
  // A provider on this machine is asked, on whatever port it has.
  fetcher: createFetcher({ allow: "allow" in loopback ? loopback.allow : [], http: true }),
  publicUrl: () => `http://127.0.0.1:${port}`,
  services: [noopService()],
  // All watchers are one user.
  watchLimits: { watchesOfUser: watchLimits.watches },
});
const { gateway, execute, store, keyring } = service;
const project = filledProject ?? (await setUp({ execute, dataDir, newId, random }));
if (project === undefined) throw new Error(`${dataDir} is in use already`);
await checkKeyring(keyring, store, execute);
const { port } = await gateway.listen(config.host, config.port);
const token = (await readFile(join(dataDir, tokenFile), "utf8")).trim();
const profiler = new Session();

const answers = {
  target: () => ({ port, token, project }),
  /** The end of the log. */
  head: () => store.head(),
  /** CPU time of all threads so far, in microseconds. */
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Bytes that this process has had written to disks so far: only Linux says. */
  writtenBytes: async () => {
    const said = await readFile("/proc/self/io", "utf8");
    return Number(/^write_bytes: (\d+)$/m.exec(said)?.[1]);
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
  await service.close();
  await passwords.close();
  await heads.close();
  lock.close();
  await opened.close();
});
