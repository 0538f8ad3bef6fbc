import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import pg from "pg";
import { v7 } from "uuid";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createClock } from "../../src/log/clock.ts";
import { keysInDirectory } from "../../src/log/find-keyring.ts";
import { logIn } from "../../src/log/in-file.ts";
import { projector } from "../../src/log/projector.ts";
import { createChannels } from "../../src/notify/channel/channels.ts";
import { outboxDirectory } from "../../src/notify/channel/outbox.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { createPasswords } from "../../src/secrets/passwords/passwords.ts";
import { logsTo } from "../../src/start/logger.ts";
import { checkKeyring } from "../../src/start/master-key.ts";
import { createService } from "../../src/start/service.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { logPath, postgresServer } from "../harness/postgres.ts";
import { inDirectory } from "../harness/process.ts";
import { viewsInDatabase, viewTexts } from "../harness/texts.ts";

/** What lies in a data directory that an earlier program has left; README.md says more. */
export interface Manifest {
  /** Of the file. */
  readonly schema: number;
  readonly revision: number;
  /** When the last event was written; codes of then are valid for some minutes. */
  readonly at: string;
  readonly publicUrl: string;
  /** The position of the last event. */
  readonly head: number;
  /** How many events there are of each type. */
  readonly types: { readonly [type: string]: number };
  /** What waits to be sent. */
  readonly pending: readonly { readonly position: number; readonly field: string }[];
  readonly ids: { readonly [name: string]: string };
  readonly secrets: { readonly [name: string]: string };
}

/** A read as the earlier program answered it, but for what is said otherwise since. */
export interface Read {
  readonly verb: string;
  readonly path: string;
  readonly body?: object;
  readonly organization?: string;
  readonly answer: object;
}

/** A data directory of an earlier program and what that program said of it. */
export interface Fixture extends Manifest {
  readonly name: string;
  readonly directory: string;
  /** The token of the first start. */
  readonly token: string;
  readonly reads: readonly Read[];
}

/** Every data directory that is kept. */
export const fixtures: readonly Fixture[] = readdirSync(import.meta.dirname, {
  withFileTypes: true,
}).flatMap((entry) => (entry.isDirectory() ? [fixtureIn(entry.name)] : []));

function fixtureIn(name: string): Fixture {
  const directory = join(import.meta.dirname, name);
  const read = (file: string) => readFileSync(join(directory, file), "utf8");
  const lines = read("answers.jsonl").trimEnd().split("\n");
  const manifest = JSON.parse(read("manifest.json")) as Manifest;
  return {
    ...manifest,
    ...{ name, directory, token: read("admin.token").trim() },
    reads: lines.map(
      (line) => JSON.parse(line, (_, value) => asSaidToday(value, manifest)) as Read,
    ),
  };
}

/** Who is locked is shown so since. */
function asSaidToday(value: Partial<{ id: string; state: string }> | null, { ids }: Manifest) {
  const isLocked = value?.id === ids.locked && value?.state !== undefined;
  return isLocked ? { ...value, state: "USER_STATE_LOCKED" } : value;
}

/** Runs the body with a copy of the data directory, the log in its file. */
export function inCopy<T>(
  { directory }: Fixture,
  body: (dataDir: string) => Promise<T>,
): Promise<T> {
  return inDirectory(async (dataDir) => {
    await cp(directory, dataDir, { recursive: true });
    await writeFile(logIn(dataDir), gunzipSync(readFileSync(join(dataDir, "iam.db.gz"))));
    return await body(dataDir);
  });
}

/** Where the log of an earlier program lies. */
export type Kind = "file" | "database";

/** A copy of what an earlier program has left, on one kind of store. */
export interface Place {
  readonly dataDir: string;
  /** By which commands and processes find the log. */
  readonly environment: { readonly [name: string]: string };
  open(opening: Opening): Promise<Store>;
  /** Runs a statement past the program; answers its rows. */
  sql(text: string): Promise<readonly { readonly [column: string]: unknown }[]>;
}

type Opening = { readonly projector: typeof projector } & ReturnType<typeof sealingIn>;

/** Runs the body with a copy, the log in its file or in a database of its own. */
export function inPlace<T>(
  fixture: Fixture,
  kind: Kind,
  body: (place: Place) => Promise<T>,
): Promise<T> {
  return inCopy(fixture, async (dataDir) => {
    if (kind === "file") return await body(filePlace(dataDir));
    await rm(logIn(dataDir));
    const name = `upgraded_${v7().replaceAll("-", "")}`;
    const server = await postgresServer();
    await runIn(server.url("postgres"), `CREATE DATABASE ${name}`);
    await runIn(
      server.url(name),
      gunzipSync(readFileSync(join(dataDir, "iam.sql.gz"))).toString("utf8"),
    );
    try {
      return await body(databasePlace(dataDir, server.url(name)));
    } finally {
      await runIn(server.url("postgres"), `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
}

function filePlace(dataDir: string): Place {
  const path = logIn(dataDir);
  return {
    dataDir,
    environment: {},
    open: (opening) => openSqlite({ path, ...opening }),
    sql: async (text) => {
      const db = viewTexts(new Database(path));
      try {
        const statement = db.prepare<[], { readonly [column: string]: unknown }>(text);
        if (statement.reader) return statement.all();
        db.exec(text);
        return [];
      } finally {
        db.close();
      }
    },
  };
}

function databasePlace(dataDir: string, url: string): Place {
  const masterKeys = readFileSync(join(dataDir, "master.key"), "utf8").trim();
  return {
    dataDir,
    environment: { IAM_DATABASE_URL: url, IAM_MASTER_KEY: masterKeys },
    open: (opening) => openPostgres({ url, ...opening }),
    sql: async (text) => {
      const [{ table } = {}] = await runIn(url, "SELECT to_regclass('texts') AS table");
      return await runIn(url, text, table === null ? "" : viewsInDatabase);
    },
  };
}

/** Runs statements on a database, in whose schema names are looked up, after others. */
async function runIn(url: string, text: string, before = "") {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`${logPath}; ${before}`);
    return (await client.query<{ readonly [column: string]: unknown }>(text)).rows;
  } finally {
    await client.end();
  }
}

/** What an answer says, and the reason where it is a refusal. */
export interface Answer {
  readonly status: number;
  readonly reason: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: it has the members that the test asked for.
  readonly body: any;
}

export interface CallOptions {
  /** The organization that the call acts on. */
  readonly organization?: string | undefined;
  /** In place of the token of the first start; empty sends none. */
  readonly token?: string;
}

export type Call = (
  verb: string,
  path: string,
  body?: object,
  options?: CallOptions,
) => Promise<Answer>;

/** Makes calls as curl does. */
export function caller(url: string, { token: first }: Fixture): Call {
  return async (verb, path, body, { organization, token = first } = {}) => {
    const response = await fetch(url + path, {
      method: verb,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(organization === undefined ? {} : { "x-service-orgid": organization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = (await response.json()) as Answer["body"];
    return { status: response.status, reason: said.details?.[0]?.reason, body: said };
  };
}

type Texts = { readonly [name: string]: string };

/** The service of today on a copy of the data directory, a minute after its last event. */
export interface Upgraded extends Place {
  readonly call: Call;
  /** Posts a form with these headers; answers the status. */
  post(path: string, form: Texts, headers: Texts): Promise<number>;
  /** The types of all events after the first so many. */
  typesAfter(position: number): Promise<readonly string[]>;
  /** Delivers what waits to be sent; without SMTP and SMS, into files. */
  deliver(): void;
  close(): Promise<void>;
}

const laterMs = 60_000;

/** Runs the body with the service of today on a copy of what was left. */
export function upgraded<T>(
  fixture: Fixture,
  body: (service: Upgraded) => Promise<T>,
  kind: Kind = "file",
): Promise<T> {
  return inPlace(fixture, kind, async (place) => {
    const service = await upgrade(fixture, place);
    try {
      return await body(service);
    } finally {
      await service.close();
    }
  });
}

/** Starts the service of today, without sending anything, on what the past has left. */
async function upgrade(fixture: Fixture, place: Place): Promise<Upgraded> {
  const { dataDir } = place;
  const random = randomBytes;
  const now = () => Date.parse(fixture.at) + laterMs;
  const log = await place.open({ projector, ...sealingIn(dataDir, { now }) });
  const passwords = createPasswords({ random });
  const service = await createService({
    ...{ log, passwords, random, clock: createClock(now), newId: () => v7() },
    keyring: async () =>
      createKeyring(await keysInDirectory(dataDir, { isNew: false, keyIds: [] }, random), random),
    fetcher: createFetcher({ allow: [] }),
    publicUrl: () => fixture.publicUrl,
    limits: { lingerMs: 0 },
    logs: logsTo({ write: () => {} }, "silent"),
  });
  await checkKeyring(service.keyring, service.store, service.execute);
  const { port } = await service.gateway.listen("127.0.0.1", 0);
  const url = `http://127.0.0.1:${port}`;
  const outbox = join(dataDir, outboxDirectory);
  const from = { name: "", address: "iam@example.com" };
  return {
    ...place,
    call: caller(url, fixture),
    post: async (path, form, headers) =>
      (await fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers }))
        .status,
    typesAfter: async (position) =>
      (await log.readAll(BigInt(position), 1_000)).map(({ type }) => type),
    deliver: () => service.deliver(createChannels({ from, outbox, now, random, store: log })),
    close: async () => {
      await service.close();
      await passwords.close();
      await log.close();
    },
  };
}
