import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { v7 } from "uuid";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createClock } from "../../src/log/clock.ts";
import { keysInDirectory } from "../../src/log/find-keyring.ts";
import { logIn } from "../../src/log/log-path.ts";
import { projector } from "../../src/log/projector.ts";
import { createChannels } from "../../src/notify/channels.ts";
import { outboxDirectory } from "../../src/notify/outbox.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { createPasswords } from "../../src/secrets/passwords/passwords.ts";
import { logsTo } from "../../src/start/logger.ts";
import { checkKeyring } from "../../src/start/master-key.ts";
import { createService } from "../../src/start/service.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { inDirectory } from "../harness/process.ts";

/** What lies in a data directory that an earlier program has left; README.md says more. */
export interface Manifest {
  readonly schema: number;
  readonly revision: number;
  /** When the last event was written; codes of then are good for some minutes. */
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

/** A read as the earlier program answered it. */
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
  /** The position of the event that the first start of today adds. */
  readonly begun: number;
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
    begun: manifest.head + 1,
    ...{ name, directory, token: read("admin.token").trim() },
    reads: lines.map((line) => JSON.parse(line) as Read),
  };
}

/** Runs the body with a copy of the data directory. */
export function inCopy<T>(
  { directory }: Fixture,
  body: (dataDir: string) => Promise<T>,
): Promise<T> {
  return inDirectory(async (dataDir) => {
    await cp(directory, dataDir, { recursive: true });
    return await body(dataDir);
  });
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

/** The service of today on a copy of the data directory, a minute after its last event. */
export interface Upgraded {
  readonly dataDir: string;
  readonly call: Call;
  /** The types of all events after the first so many. */
  typesAfter(position: number): Promise<readonly string[]>;
  /** Delivers what waits to be sent; without SMTP and SMS, into files. */
  deliver(): void;
  close(): Promise<void>;
}

const laterMs = 60_000;

/** Runs the body with the service of today on a copy of the data directory. */
export function upgraded<T>(fixture: Fixture, body: (service: Upgraded) => Promise<T>): Promise<T> {
  return inCopy(fixture, async (dataDir) => {
    const service = await upgrade(fixture, dataDir);
    try {
      return await body(service);
    } finally {
      await service.close();
    }
  });
}

/** Starts the service of today, without sending anything, on the data directory of the past. */
async function upgrade(fixture: Fixture, dataDir: string): Promise<Upgraded> {
  const random = randomBytes;
  const now = () => Date.parse(fixture.at) + laterMs;
  const log = await openSqlite({ path: logIn(dataDir), projector, ...sealingIn(dataDir, { now }) });
  const passwords = createPasswords({ random });
  const service = await createService({
    ...{ log, passwords, random, clock: createClock(now), newId: () => v7() },
    keyring: async () =>
      createKeyring(await keysInDirectory(dataDir, { isNew: false, keyIds: [] }, random), random),
    fetch: createFetcher({ allow: [] }),
    publicUrl: () => fixture.publicUrl,
    logs: logsTo({ write: () => {} }, "silent"),
  });
  await checkKeyring(service.keyring, service.store, service.execute);
  const { port } = await service.gateway.listen("127.0.0.1", 0);
  const outbox = join(dataDir, outboxDirectory);
  const from = { name: "", address: "iam@example.com" };
  return {
    dataDir,
    call: caller(`http://127.0.0.1:${port}`, fixture),
    typesAfter: async (position) =>
      (await log.readAll(BigInt(position), 1_000)).map(({ type }) => type),
    deliver: () => service.deliver(createChannels({ from, outbox, now, random })),
    close: async () => {
      await service.close();
      await passwords.close();
      await log.close();
    },
  };
}
