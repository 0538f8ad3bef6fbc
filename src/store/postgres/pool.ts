import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { StoreUnavailable } from "../store.ts";
import { callersError, sqlStateOf, unavailable } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import { named } from "./revision.ts";
import { openSession, type Session } from "./session.ts";
import { readDatabaseUrl } from "./url.ts";

/** A value that is bound to a statement, or a list of those. */
export type Bound = unknown;

/** Who runs statements: a connection, or any of the pool. */
export interface Connection {
  /** The rows that the statement answers. Rejects with what the driver says. */
  query<Row extends object>(text: string, values?: readonly Bound[]): Promise<readonly Row[]>;
}

/**
 * The connections of one process, with the same settings whatever the defaults of the database and
 * the role are. A session that a pooler may share keeps nothing.
 */
export interface Pool {
  /** One statement by itself. Rejects with `StoreUnavailable` where the database is not there. */
  query: Connection["query"];
  /**
   * Does the work on one connection, which is given up where the work fails. Rejects as the work
   * does, and with `StoreUnavailable` where there is no connection.
   */
  using<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * The same between BEGIN, as it is given, and COMMIT. Statements of its own that set what a
   * session pins otherwise come behind that.
   */
  transaction<T>(
    begin: string,
    work: (connection: Connection) => Promise<T>,
    own?: string,
  ): Promise<T>;
  /** Connections that are open, and how many wait for one. */
  figures(): { readonly connections: number; readonly waitingForConnection: number };
  close(): Promise<void>;
}

/**
 * Makes the pool; nothing is connected yet. Throws an `Error` where the URL is not right. In its
 * statements `derived` is the schema of the revision, and is none where that is left out.
 */
export function createPool(url: string, limits: PostgresLimits, revision?: number): Pool {
  const read = readDatabaseUrl(url);
  if ("problem" in read) throw new Error(`The URL of a database must be ${read.problem}.`);
  const pool = new pg.Pool({
    connectionString: read.url,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.statementMs,
    application_name: "iam",
    pipeline: true,
    types: { getTypeParser },
  });
  // A connection that ends while nobody uses it is no failure: the next one is made anew.
  pool.on("error", () => {});
  const { connect, rest } = createConnects(pool, limits);
  const connectionOf = (client: pg.PoolClient): Connection => ({
    query: async <Row extends object>(text: string, values: readonly Bound[] = []) => {
      const own = revision === undefined ? text : named(text, revision);
      return (await client.query<Row>(own, [...values])).rows;
    },
  });

  async function withClient<T>(work: (client: pg.PoolClient, session: Session) => Promise<T>) {
    const { client, session } = await connect();
    let isBroken = true;
    try {
      const result = await work(client, session);
      isBroken = false;
      return result;
    } finally {
      client.release(isBroken);
    }
  }

  const using = <T>(work: (connection: Connection) => Promise<T>) =>
    withClient((client, { local }) => {
      if (local === "") return work(connectionOf(client));
      return work({
        query: async (text, values) => {
          // They leave together: no lock is held while an answer travels.
          const begun = client.query(`BEGIN; ${local}`);
          const rows = connectionOf(client).query<never>(text, values);
          await Promise.all([begun, rows, client.query("COMMIT")]);
          return await rows;
        },
      });
    });

  return {
    using,
    query: async (text, values) => {
      try {
        return await using((connection) => connection.query(text, values));
      } catch (error) {
        throw callersError(error);
      }
    },
    transaction: (begin, work, own = "") =>
      withClient(async (client, { local }) => {
        await client.query(`${begin}; ${local}; ${own}`);
        const result = await work(connectionOf(client));
        await client.query("COMMIT");
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
  const ends = new WeakMap<pg.ClientBase, unknown>();
  const sessions = new WeakMap<pg.ClientBase, Session>();
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

  /** The session of a connection; nothing where that has ended by now. */
  async function sessionOf(client: pg.PoolClient): Promise<Session | undefined> {
    if (ends.has(client)) return undefined;
    try {
      const session = sessions.get(client) ?? (await openSession(client, limits));
      sessions.set(client, session);
      return session;
    } catch (error) {
      ends.set(client, error);
      return undefined;
    }
  }

  async function connect() {
    const untilMs = performance.now() + limits.connectMs;
    let failure: unknown;
    for (let pauseMs: number = limits.retryMinMs; performance.now() < untilMs; pauseMs *= 2) {
      try {
        const client = await pool.connect();
        const session = await sessionOf(client);
        if (session !== undefined) return { client, session };
        failure = ends.get(client);
        client.release(true);
        // What a pooler or the database says of itself stands for a while, all but that it ends.
        if (sqlStateOf(failure)?.startsWith("57P") === false) break;
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
