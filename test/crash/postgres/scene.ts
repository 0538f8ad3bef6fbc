import { closeSync, openSync, rmSync, symlinkSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createRandom, type Random } from "../../gateway/native/random.ts";
import { type Cluster, makeCluster, runOn } from "../../harness/postgres-cluster.ts";
import { type PostgresProxy, postgresProxy } from "../../harness/postgres-proxy.ts";
import type { Call } from "../ledger.ts";
import { drive } from "../load.ts";
import type { Judged } from "./judge.ts";
import { type Nodes, patienceMs, startBareNode, startNodes } from "./nodes.ts";
import { type Reader, startReader } from "./readers.ts";
import { startServiceNode } from "./service-node.ts";

/**
 * Calls that were acknowledged, of these ones that the standby which took over never had, and calls
 * that were refused because the log is not the one that a node has seen.
 */
export interface Counted {
  acknowledged: number;
  forgiven: number;
  outdated: number;
}

/** Nodes on one PostgreSQL, to which many write while some follow the log. */
export interface Scene {
  readonly random: Random;
  /** Where servers lie. */
  readonly directory: string;
  readonly nodes: Nodes;
  /** What lies between each node and the server. */
  readonly proxies: readonly PostgresProxy[];
  readonly readers: readonly Reader[];
  readonly calls: Call[];
  readonly counted: Counted;
  /** The server that nodes reach. */
  server: Cluster;
  /** The log, by its server now. */
  judged(): Judged;
  /** Has nodes reach another server. */
  moveTo(server: Cluster): void;
  /**
   * Resolves when so many more calls were acknowledged. Rejects where that takes far too long, and
   * where the log has lost something that it may not lose.
   */
  acknowledged(count: number): Promise<void>;
  /** Has writers begin, and lets them finish. */
  write(): void;
  rest(): Promise<void>;
  /** Lets writers finish, and readers when they have followed so far. */
  finish(position: () => Promise<number>): Promise<void>;
  close(): Promise<void>;
}

/** How a scene is made. */
export interface SceneOptions {
  readonly directory: string;
  readonly seed: number;
  /** The copy of the project that nodes run; left out, this one. */
  readonly project?: string;
  /** Whether nodes have their gateway, and calls and watches come over the network. */
  readonly isWhole?: boolean;
  /** Whether the log may lose its end. */
  readonly mayLose?: boolean;
}

/** The database that all nodes share. */
export const database = "iam";

const counts = { nodes: 2, wholeNodes: 3, readers: 3 } as const;
/** The key that all nodes have. */
export const masterKey = `crash:${Buffer.alloc(32, 7).toString("base64")}`;
/** Milliseconds between two looks at it. */
const lookMs = 5;
const root = resolve(import.meta.dirname, "../../..");

/** Starts a server in the directory, with an empty database. */
export async function startServerIn(directory: string): Promise<Cluster> {
  // The server may run as another user.
  for (const path of [dirname(directory), directory]) await chmod(path, 0o711);
  const place = join(directory, "server");
  await mkdir(place);
  const server = makeCluster(place);
  await server.start();
  await runOn(server.url("postgres"), `CREATE DATABASE ${database}`);
  return server;
}

/** Starts a server and nodes, and lets writers and readers begin. */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const { directory, seed, project = root, isWhole = false, mayLose = false } = options;
  const random = createRandom(seed);
  const server = await startServerIn(directory);
  // Nodes know the server by a name, which another may have later.
  const address = join(directory, "now");
  symlinkSync(server.socket, address);
  const url = server.url(database, address);
  const stderr = openSync(join(directory, "nodes.log"), "a");
  const length = isWhole ? counts.wholeNodes : counts.nodes;
  const proxies = await Promise.all(Array.from({ length }, () => postgresProxy(url)));
  const settingsOf = (databaseUrl: string) => ({
    ...{ IAM_DATABASE_URL: databaseUrl, IAM_MASTER_KEY: masterKey },
  });
  const dataDir = (node: number) => join(directory, `node-${node}`);
  const starts = proxies.map((proxy, node) => () => {
    const started = { env: settingsOf(proxy.url), project, stderr };
    return isWhole ? startServiceNode(dataDir(node), started) : startBareNode(started);
  });
  const nodes = startNodes({ random, starts, insists: isWhole });
  const reading = new AbortController();
  const calls: Call[] = [];
  const counted = { acknowledged: 0, forgiven: 0, outdated: 0 };
  const readers = Array.from({ length: counts.readers }, () =>
    startReader(nodes, random, reading.signal),
  );
  const scene: Scene = {
    ...{ random, directory, nodes, proxies, readers, calls, counted, server },
    judged: () => {
      const now = scene.server.url(database);
      return { url: now, env: settingsOf(now), dataDir: dataDir(0), project };
    },
    write: () => {
      writing = write(scene);
    },
    rest: () => writing.end(),
    moveTo(other) {
      scene.server = other;
      rmSync(address);
      symlinkSync(other.socket, address);
    },
    acknowledged(count) {
      const due = counted.acknowledged + count;
      const isThere = () => {
        if (counted.outdated > 0 && !mayLose) throw new Error("the log has lost what nodes saw");
        return counted.acknowledged >= due;
      };
      return until(isThere, "nothing is acknowledged any more");
    },
    async finish(position) {
      await writing.end();
      const end = await position();
      const isThere = () => readers.every(({ lives }) => (lives.at(-1)?.length ?? 0) >= end);
      // One who does not get there has been told too little: its judge says so.
      await until(isThere, "").catch(() => {});
      reading.abort();
      await Promise.all(readers.map(({ ended }) => ended));
    },
    async close() {
      reading.abort();
      await Promise.all([writing.end(), nodes.close()]);
      for (const proxy of proxies) await proxy.close();
      await scene.server.kill();
      closeSync(stderr);
    },
  };
  let writing = write(scene);
  return scene;
}

/** Lets writers write until they are told to end. */
function write({ nodes, random, calls, counted }: Scene): { end(): Promise<void> } {
  const over = new AbortController();
  const ended = drive({
    ...{ asks: [nodes.ask], random, calls, over: over.signal, goesOn: true },
    kindNames: ["project", "api", "action"],
    answered: ({ outcome }) => {
      if (outcome.kind === "acknowledged") counted.acknowledged += 1;
      if (outcome.kind === "refused" && outcome.reason === "HISTORY_CHANGED") counted.outdated += 1;
    },
  });
  return {
    end: () => {
      over.abort();
      return ended;
    },
  };
}

/** Resolves when it is so; rejects with what is said where it takes far too long. */
export async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  // Time in which the program stands still itself does not count.
  for (let leftMs = patienceMs; !isSo(); leftMs -= lookMs) {
    if (leftMs <= 0) throw new Error(otherwise);
    await pause(lookMs);
  }
}
