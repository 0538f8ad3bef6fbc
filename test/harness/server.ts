import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 } from "uuid";
import type { SandboxLimits } from "../../src/actions/limits.ts";
import type { Alias } from "../../src/alias.ts";
import type { WatchLimits } from "../../src/api/watch.ts";
import { org } from "../../src/domain/org.ts";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { project } from "../../src/domain/project.ts";
import type { SendLimits } from "../../src/domain/sending.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { RecordedEvent } from "../../src/event.ts";
import type { Execute } from "../../src/execute/execute.ts";
import { createFetcher, type Fetcher } from "../../src/fetch/fetcher.ts";
import type { GatewayLimits } from "../../src/gateway/call/limits.ts";
import type { Gateway } from "../../src/gateway/server.ts";
import { type Clock, createClock } from "../../src/log/clock.ts";
import { createIds } from "../../src/log/ids.ts";
import { projector } from "../../src/log/projector.ts";
import type { Measures } from "../../src/metrics/measures.ts";
import { createChannels } from "../../src/notify/channel/channels.ts";
import type { Peers } from "../../src/port/peer.ts";
import type { Certificate } from "../../src/port/tls.ts";
import type { KeyPairs } from "../../src/secrets/key-pairs.ts";
import { createKeyring, type Keyring } from "../../src/secrets/keyring.ts";
import { loadOrCreateKeyFile } from "../../src/secrets/keys.ts";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createRandom } from "../../src/secrets/random.ts";
import { createToken, hashSecret, type RandomBytes } from "../../src/secrets/tokens.ts";
import { setUp, tokenFile } from "../../src/start/first-start.ts";
import { logsTo } from "../../src/start/logger.ts";
import { checkKeyring } from "../../src/start/master-key.ts";
import { createService } from "../../src/start/service.ts";
import type { Projector } from "../../src/store/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { borrowKeyPairs } from "./key-pairs.ts";
import { sealingIn } from "./log-keys.ts";
import { borrowPasswords } from "./passwords.ts";
import { type LogKind, makeTestLog, type Rows } from "./test-log.ts";

/** A real server on a free port of this machine, with a log of its own in a temporary directory. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly store: Store;
  /** The same without a clock, in which what a test records has any time. */
  readonly log: Store;
  /** Opens its log once more, as another process does, be it with another projector. */
  openLog(by?: Projector): Promise<Store>;
  /** All that its log keeps, as text. */
  kept(): Promise<string>;
  /** Runs a statement on its log as one who may write its rows, and has no key. */
  sql(text: string): Promise<Rows>;
  readonly execute: Execute;
  readonly keyring: Keyring;
  readonly passwords: Passwords;
  readonly gateway: Gateway;
  /** What the server logged so far, one JSON text per line. */
  readonly logged: () => readonly string[];
  /** The first start's token and ids. */
  readonly admin: {
    readonly token: string;
    readonly userId: string;
    readonly organization: string;
  };
  readonly project: string;
  /** All events after a position; the whole log without one. */
  events(after?: bigint): Promise<readonly RecordedEvent[]>;
  /** The position of the last event. */
  head(): Promise<bigint>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Where the log lies; left out, where `IAM_TEST_LOG` says. */
  readonly kind?: LogKind;
  readonly fetcher?: Fetcher;
  /** What the service has in place of its log, which does more before it does the same. */
  readonly wrap?: (log: Store) => Store;
  /** Whether messages are delivered, mails and SMS as files; left out, they wait. */
  readonly delivers?: boolean;
  readonly keyPairs?: KeyPairs;
  /** In place of those that all servers share; closed with the server. */
  readonly passwords?: Passwords;
  readonly limits?: Partial<GatewayLimits>;
  readonly watchLimits?: Partial<WatchLimits>;
  /** In place of limits that no test meets that is about something else. */
  readonly sendLimits?: Partial<SendLimits>;
  readonly sandboxLimits?: Partial<SandboxLimits>;
  readonly actionHosts?: readonly string[];
  readonly peers?: Peers;
  readonly measures?: Measures;
  readonly corsOrigins?: readonly string[];
  readonly alias?: Alias;
  readonly eventNetworks?: boolean;
  readonly actionsTokens?: boolean;
  readonly now?: () => number;
  /** In place of one that follows `now`. */
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly random?: RandomBytes;
  readonly nativeWire?: boolean;
  /** In place of an address that is not this server's. */
  readonly publicUrl?: (port: number) => string;
  /** Turns TLS on. */
  readonly certificate?: Certificate;
}

const unmet: SendLimits = {
  ...{ smsPerNumber: 1_000_000, smsPerOrganization: 1_000_000 },
  ...{ mailsPerAddress: 1_000_000, mailsPerOrganization: 1_000_000 },
  registrationMails: 1_000_000,
};

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "iam-test-"));
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { random = createRandom(randomBytes) } = options;
  const { newId = createIds(Date.now, random) } = options;
  const { now = Date.now } = options;
  const { clock = createClock(now) } = options;
  let port = 0;
  const sealing = sealingIn(dataDir, { random, newId, now: clock.now });
  const log = await makeTestLog(options.kind, join(dataDir, "iam.db"));
  const committed = options.measures?.commit;
  const opened = await log.open({ projector, ...sealing, committed });
  const { passwords = borrowPasswords() } = options;
  const { keyPairs, giveBack } = borrowKeyPairs();
  const { fetcher = createFetcher({ allow: [] }), ...more } = options;
  const raw = options.wrap?.(opened) ?? opened;
  const service = await createService({
    keyPairs,
    ...more,
    limits: { lingerMs: 0, ...options.limits },
    sendLimits: { ...unmet, ...options.sendLimits },
    ...{
      log: raw,
      passwords,
      random,
      newId,
      clock,
      fetcher,
      logs: logsTo({ write }, "trace"),
    },
    keyring: async () => createKeyring(await loadOrCreateKeyFile(dataDir, random), random),
    publicUrl: () => options.publicUrl?.(port) ?? "https://iam.example.com",
  });
  const { store, execute, keyring, gateway } = service;
  const firstProject = await setUp({ execute, dataDir, newId, random });
  if (firstProject === undefined) throw new Error("the log was not new");
  await checkKeyring(keyring, store, execute);
  const token = (await readFile(join(dataDir, tokenFile), "utf8")).trim();
  ({ port } = await gateway.listen("127.0.0.1", 0));
  if (options.delivers) {
    const outbox = join(dataDir, "outbox");
    const from = { name: "", address: "iam@example.com" };
    service.deliver(createChannels({ from, outbox, now, random, store }));
  }
  const events = (after = 0n) => store.readAll(after, 100_000);
  // The log only grows, so nobody reads again what was there before.
  let seen = 0n;
  const first = (await events()).find(({ type }) => type === "instance.set.up");
  if (first === undefined) throw new Error("the first start left no event");
  const server: TestServer = {
    url: `${options.certificate ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    dataDir,
    store,
    log: raw,
    kept: log.kept,
    sql: log.sql,
    openLog: (by = projector) => log.open({ projector: by, ...sealingIn(dataDir) }),
    execute,
    keyring,
    passwords,
    gateway,
    logged: () => lines,
    admin: { token, userId: first.actor, organization: first.owner },
    project: firstProject,
    events,
    head: async () => {
      seen = (await events(seen)).at(-1)?.position ?? seen;
      return seen;
    },
    close: async () => {
      await service.close();
      await passwords.close();
      await opened.close();
      await log.remove();
      giveBack();
      await rm(dataDir, { recursive: true });
      // A test file stays loaded, and so does all that its variables lead to.
      for (const name of Object.keys(server)) Reflect.deleteProperty(server, name);
    },
  };
  return server;
}

/** An organization of the server's instance, made without a call. */
export async function givenOrganization({ execute }: TestServer, name = v7()): Promise<string> {
  const id = v7();
  await done(
    execute({
      actor: "test",
      writes: { org: { noun: org, id, owner: id } },
      relies: {},
      decide: () => ({ events: { org: [{ type: "org.added" as const, payload: { name } }] } }),
    }),
  );
  return id;
}

/** A project of an organization, made without a call. */
export async function givenProject(
  { execute }: TestServer,
  organization: string,
  name = v7(),
): Promise<string> {
  const id = v7();
  const payload = {
    name,
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: "UNSPECIFIED",
  } as const;
  await done(
    execute({
      actor: "test",
      writes: { project: { noun: project, id, owner: organization } },
      relies: {},
      decide: () => ({ events: { project: [{ type: "project.added" as const, payload }] } }),
    }),
  );
  return id;
}

/** A machine user with a token and roles, made without a call. */
export async function givenUser(
  { execute }: TestServer,
  organization: string,
  memberships: readonly { readonly scope: Scope; readonly roles: readonly Role[] }[] = [],
  token: { readonly expirationMs?: number } = {},
): Promise<{ readonly userId: string; readonly token: string; readonly tokenId: string }> {
  const userId = v7();
  const tokenId = v7();
  const text = createToken(randomBytes);
  const machine = {
    userName: userId,
    name: userId,
    description: "",
    accessTokenType: "BEARER" as const,
  };
  await done(
    execute({
      // Its token is its own: one who raises the user leaves it.
      actor: userId,
      writes: { user: { noun: user, id: userId, owner: organization } },
      relies: {},
      decide: () => ({
        events: {
          user: [
            { type: "user.machine.added" as const, payload: machine },
            ...memberships.map((payload) => ({
              type: "user.membership.granted" as const,
              payload,
            })),
            {
              type: "user.token.added" as const,
              payload: { tokenId, tokenHash: hashSecret(text), ...token },
            },
          ],
        },
      }),
    }),
  );
  return { userId, token: text, tokenId };
}

async function done(outcome: ReturnType<Execute>): Promise<void> {
  const { kind } = await outcome;
  if (kind !== "done") throw new Error(`a given of the test was not accepted: ${kind}`);
}
