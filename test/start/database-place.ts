import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Decided, Running } from "../../src/start/serve.ts";
import { postgresServer } from "../harness/postgres.ts";
import { inDirectory } from "../harness/process.ts";
import { start } from "./command.ts";

/** The key that all nodes have. */
export const masterKey = `ours:${Buffer.alloc(32, 7).toString("base64")}`;

/** A database of its own, and directories for the nodes that share it. */
export interface DatabasePlace {
  readonly url: string;
  readonly environment: { readonly IAM_DATABASE_URL: string; readonly IAM_MASTER_KEY: string };
  /** The data directory of a node. */
  node(name: string): string;
  flagsOf(name: string): readonly string[];
  /** Serves as a node in this process, until it is closed or the test is over. */
  start(name: string, decided?: Decided, more?: Environment): Promise<Running>;
  /** The token that a node has left. */
  tokenOf(name: string): Promise<string>;
  /** Runs statements past the service, as one who owns the database; answers the last rows. */
  run(...texts: string[]): Promise<Rows>;
}

type Environment = { readonly [name: string]: string };
type Rows = readonly { readonly [name: string]: unknown }[];

/** Runs the body with an empty database. */
export async function inDatabasePlace(body: (place: DatabasePlace) => Promise<void>) {
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const url = server.url(database);
  const running = new Set<Running>();
  await inDirectory(async (directory) => {
    const environment = { IAM_DATABASE_URL: url, IAM_MASTER_KEY: masterKey };
    const node = (name: string) => join(directory, name);
    const flagsOf = (name: string) => ["--port=0", `--data-dir=${node(name)}`];
    const begin = async (name: string, decided: Decided = {}, more: Environment = {}) => {
      await mkdir(node(name), { recursive: true, mode: 0o700 });
      const one = await start(flagsOf(name), { ...environment, ...more }, decided);
      running.add(one);
      const close = async () => {
        running.delete(one);
        await one.close();
      };
      return { ...one, close };
    };
    const tokenOf = async (name: string) =>
      (await readFile(join(node(name), "admin.token"), "utf8")).trim();
    const place = { url, environment, node, flagsOf, start: begin, tokenOf };
    try {
      await body({ ...place, run: (...texts) => runOn(url, texts) });
    } finally {
      for (const one of running) await one.close();
    }
  });
  await server.giveBack(database);
}

/** Runs statements on the database of a URL; answers the last rows. */
export async function runOn(url: string, texts: readonly string[]): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Rows = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** What a call came to. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Makes calls to a node with a token. */
export function callsTo(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (path: string, body?: object): Promise<Answer> => {
    const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { headers, ...options });
    return { status: response.status, text: await response.text() };
  };
  return {
    get: (path: string) => call(path),
    post: (path: string, body: object) => call(path, body),
    /** Adds a project. */
    add: (name: string) => call("/management/v1/projects", { name }),
    deactivate: (id: string) => call(`/management/v1/projects/${id}/_deactivate`, {}),
    /** Lists all events. */
    events: () => call("/admin/v1/events/_search", { limit: 1000 }),
    projects: () => call("/management/v1/projects/_search", {}),
    ready: () => call("/readyz"),
  };
}
