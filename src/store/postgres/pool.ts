import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { StoreUnavailable } from "../store.ts";
import { failureOf, unavailable } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import { readDatabaseUrl } from "./url.ts";

/** A value that is bound to a statement, or a list of those. */
export type Bound = unknown;

/** Who runs statements: a connection, or any of the pool. */
export interface Connection {
  /** The rows that the statement answers. Rejects with what the driver says. */
  query<Row extends object>(text: string, values?: readonly Bound[]): Promise<readonly Row[]>;
}

/** The connections of one process. A session keeps nothing, so that a pooler may share them. */
export interface Pool {
  /** One statement by itself. Rejects with `StoreUnavailable` where the database is not there. */
  query: Connection["query"];
  /**
   * Does the work on one connection, which is given up where the work fails. Rejects as the work
   * does, and with `StoreUnavailable` where there is no connection.
   */
  using<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** The same between BEGIN, as it is given, and COMMIT. */
  transaction<T>(begin: string, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Connections that are open, and how many wait for one. */
  figures(): { readonly connections: number; readonly waitingForConnection: number };
  close(): Promise<void>;
}

/** Makes the pool; nothing is connected yet. Throws an `Error` where the URL is not right. */
export function createPool(url: string, limits: PostgresLimits): Pool {
  const read = readDatabaseUrl(url);
  if ("problem" in read) throw new Error(`The URL of a database must be ${read.problem}.`);
  const pool = new pg.Pool({
    connectionString: read.url,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.statementMs,
    application_name: "iam",
    types: { getTypeParser },
  });
  // A connection that ends while nobody uses it is no failure: the next one is made anew.
  pool.on("error", () => {});
  const { connect, rest } = createConnects(pool, limits);

  async function using<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await connect();
    let isBroken = true;
    try {
      const result = await work({
        query: async <Row extends object>(text: string, values: readonly Bound[] = []) =>
          (await client.query<Row>(text, [...values])).rows,
      });
      isBroken = false;
      return result;
    } finally {
      client.release(isBroken);
    }
  }

  return {
    using,
    query: async (text, values) => {
      try {
        return await using((connection) => connection.query(text, values));
      } catch (error) {
        throw failureOf(error) === "wrong" ? error : unavailable(error);
      }
    },
    transaction: (begin, work) =>
      using(async (connection) => {
        await connection.query(begin);
        const result = await work(connection);
        await connection.query("COMMIT");
        return result;
      }),
    figures: () => ({
      connections: pool.totalCount,
      waitingForConnection: pool.waitingCount,
    }),
    close: async () => {
      rest();
      await pool.end();
    },
  };
}

/** Hands out connections of a pool that live, as long as the database gives it any. */
function createConnects(pool: pg.Pool, limits: PostgresLimits) {
  /** What ended connections, be it in the packet that greeted them. */
  const ends = new WeakMap<pg.ClientBase, Error>();
  // Without a listener of its own, for its whole life, one that is cut would end the process.
  pool.on("connect", (client) => client.on("error", (error) => void ends.set(client, error)));

  let widen: NodeJS.Timeout | undefined;
  /** Has those who wait take turns with the connections that there are, for a while. */
  function narrow(): void {
    pool.options.max = pool.totalCount;
    clearTimeout(widen);
    widen = setTimeout(() => {
      pool.options.max = limits.connections;
    }, limits.fewerMs).unref();
  }

  async function connect(): Promise<pg.PoolClient> {
    const untilMs = performance.now() + limits.connectMs;
    let failure: unknown;
    for (let pauseMs: number = limits.retryMinMs; performance.now() < untilMs; pauseMs *= 2) {
      try {
        const client = await pool.connect();
        failure = ends.get(client);
        if (failure === undefined) return client;
        client.release(true);
        await pause(Math.min(pauseMs, limits.retryMaxMs));
      } catch (error) {
        failure = error;
        // A refused further connection means waiting for the existing ones, without a new timeout.
        if (isTimeout(error) || pool.totalCount === 0) break;
        narrow();
      }
    }
    const { waitingCount, totalCount, options } = pool;
    if (isTimeout(failure) && (waitingCount > 0 || totalCount >= options.max)) {
      throw new StoreUnavailable(`All ${options.max} connections are in use.`);
    }
    throw unavailable(failure);
  }

  return { connect, rest: () => clearTimeout(widen) };
}

/** Whether a connection was waited for in vain: all else that fails has a code. */
function isTimeout(error: unknown): boolean {
  return !(error instanceof Error && "code" in error);
}

const { builtins } = pg.types;
/** Of lists of bigint, which the driver has no name for. */
const bigintList = 1016;

/** Positions are exact whatever their size; the rest is as the driver has it. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === builtins.INT8) return (text: string) => BigInt(text);
  if (oid === bigintList) return (text: string) => text.slice(1, -1).split(",").map(BigInt);
  return pg.types.getTypeParser(oid, format);
}
