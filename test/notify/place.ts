import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { v7 } from "uuid";
import { type OrgEvent, org, setUpOrg } from "../../src/domain/org.ts";
import { label } from "../../src/domain/policy/label.ts";
import { privacy } from "../../src/domain/policy/privacy.ts";
import { findDestination, readAsking } from "../../src/domain/user/credential/delivery.ts";
import { importHuman, type NewHuman } from "../../src/domain/user/human/human.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { codeLifetimesMs, type HumanAdded } from "../../src/domain/user/state/human-state.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import { createOutbox, outboxDirectory } from "../../src/notify/channel/outbox.ts";
import { compose } from "../../src/notify/message/compose.ts";
import type { MailBrand } from "../../src/notify/message/mail-brand.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { startWorker, type Worker, type WorkerOptions } from "../../src/notify/worker.ts";
import { createKeyring, type Keyring } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import type { Timer } from "../../src/store/scheduler.ts";
import type { Store } from "../../src/store/store.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { createWatch, type Watch } from "./watch.ts";

/** The time at which everything begins here. */
export const startMs = 1_700_000_000_123;
export const publicUrl = "https://iam.example.com/base";
export const organization = "org-1";
export const sender = { name: "", address: "iam@example.com" };
/** What codes are, so that a test can look for them where they must not be. */
export const codes = { initialization: "MA1LED", phone: "TE2TED" };
/** The same in every process of a test. */
export const keyText = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

/** A log with people in it and what it takes to deliver their messages, on a clock set by hand. */
export interface NotifyPlace {
  readonly path: string;
  readonly outbox: string;
  readonly store: Store;
  readonly execute: Execute;
  readonly keyring: Keyring;
  readonly clock: { nowMs: number };
  /** Of everything that happens to the store and the log. */
  readonly watch: Watch;
  /** When messages are due that were postponed, in the order in which that happened. */
  readonly postponed: readonly number[];
  /** How many looks for messages there were. */
  readonly looks: () => number;
  /** Timers that nobody called off yet, by their milliseconds. */
  readonly timers: ReadonlyMap<number, () => void>;
  readonly logged: readonly string[];
  /** What `start` starts a worker with. */
  readonly options: WorkerOptions;
  start(others?: Partial<WorkerOptions>): Worker;
  /** Waits until an event of the type is recorded, that many times. */
  recorded(type: UserEvent["type"], times?: number): Promise<void>;
  /** Every event of a type: its payload. */
  payloads(type: UserEvent["type"]): Promise<readonly unknown[]>;
  remove(): Promise<void>;
}

/** Removes the organization, and nothing of what belongs to it yet. */
export async function removeOrganization(place: Pick<NotifyPlace, "execute">): Promise<void> {
  await changeOrganization(place, ...setUpOrg("Acme"), { type: "org.removed", payload: {} });
}

/** Lets that happen to the organization. */
export async function changeOrganization(
  { execute }: Pick<NotifyPlace, "execute">,
  ...events: readonly OrgEvent[]
): Promise<void> {
  await execute({
    actor: "somebody",
    writes: { org: { noun: org, id: organization, owner: organization } },
    decide: () => ({ events: { org: events } }),
  });
}

/** What mails show where nobody has set anything. */
export const plainBrand: MailBrand = {
  label: { ...label.defaults, isDefault: true },
  privacy: privacy.defaults,
};

export async function notifyPlace(): Promise<NotifyPlace> {
  const place: SqlitePlace = await sqlitePlace();
  const watch = createWatch();
  const clock = { nowMs: startMs };
  const types: string[] = [];
  const postponed: number[] = [];
  const logged: string[] = [];
  let looks = 0;
  const inner = await place.open(projector);
  const store: Store = {
    ...inner,
    append: async (append) => {
      const result = await inner.append(append);
      if (result.kind === "appended") types.push(...result.events.map(({ type }) => type));
      watch.happened();
      return result;
    },
    leaseMessages: async (query) => {
      const leased = await inner.leaseMessages(query);
      looks += 1;
      watch.happened();
      return leased;
    },
    postponeMessage: async (message, dueMs) => {
      await inner.postponeMessage(message, dueMs);
      postponed.push(dueMs);
      watch.happened();
    },
  };
  const outbox = join(dirname(place.path), outboxDirectory);
  const timers = new Map<number, () => void>();
  const timer: Timer = (ms, callback) => {
    timers.set(ms, callback);
    watch.happened();
    return () => {
      if (timers.get(ms) === callback) timers.delete(ms);
    };
  };
  const write = (level: string) => (members: object, text: string) => {
    const { err, ...rest } = members as { readonly err?: unknown };
    const error = err instanceof Object ? String(Reflect.get(err, "stack")) : String(err ?? "");
    logged.push(JSON.stringify({ level, ...rest, error, text }));
    watch.happened();
  };
  const log = { info: write("info"), warn: write("warn"), error: write("error") };
  const execute = createExecute(store, () => clock.nowMs);
  const keyring = createKeyring(parseKeyring(keyText), randomBytes);
  const workers: Worker[] = [];
  const toFiles = createOutbox({ directory: outbox, from: sender, random: randomBytes, store });
  const options: WorkerOptions = {
    ...{ store, execute, keyring, log, timer },
    channels: { email: toFiles, sms: toFiles },
    now: () => clock.nowMs,
    jitter: () => 0,
    publicUrl: () => publicUrl,
  };
  return {
    options,
    ...{ path: place.path, outbox, store, execute, keyring, clock, watch, postponed, timers },
    logged,
    looks: () => looks,
    start: (others = {}) => {
      const worker = startWorker({ ...options, ...others });
      workers.push(worker);
      return worker;
    },
    recorded: (type, times = 1) =>
      watch.until(() => types.filter((each) => each === type).length >= times),
    payloads: async (type) =>
      (await inner.readAll(0n, 1_000))
        .filter((event) => event.type === type)
        .map(({ payload }) => JSON.parse(payload) as unknown),
    remove: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await place.remove();
    },
  };
}

/** A person, whose address waits to be verified, as importing makes one; answers the user's id. */
export async function importPerson(
  { execute, keyring }: Pick<NotifyPlace, "execute" | "keyring">,
  given: Partial<HumanAdded> & { readonly mail?: boolean } = {},
): Promise<string> {
  const { mail = true, ...more } = given;
  const userId = v7();
  const outcome = await execute({
    actor: "somebody",
    writes: { user: { noun: user, id: userId, owner: organization } },
    relies: {},
    decide: (_, nowMs) =>
      importHuman(
        {},
        {
          organization,
          added: { ...person, userName: userId, email: `${userId}@example.com`, ...more },
          passwordHash,
          isEmailVerified: !mail,
          isPhoneVerified: false,
          externalIDPs: [],
          initializationCode: sealed(keyring, userId, "initialization"),
          phoneCode: sealed(keyring, userId, "phone"),
        } as unknown as NewHuman,
        nowMs,
      ),
  });
  if (outcome.kind !== "done") throw new Error(`nobody was imported: ${JSON.stringify(outcome)}`);
  return userId;
}

/** Gives a person another code, which takes the place of the one before. */
export async function addCode(
  { execute, keyring, clock }: NotifyPlace,
  userId: string,
  kind: keyof typeof codes,
): Promise<void> {
  const code = {
    code: sealed(keyring, userId, kind),
    expirationMs: clock.nowMs + codeLifetimesMs[kind],
  };
  const event: UserEvent =
    kind === "phone"
      ? { type: "user.human.phone.code.added", payload: { ...code, send: true } }
      : { type: "user.human.initialization.code.added", payload: code };
  await happen(execute, userId, event);
}

/** Records an event of a user, whatever decisions would say. */
export async function happen(execute: Execute, userId: string, event: UserEvent): Promise<void> {
  await execute({
    actor: "somebody",
    writes: { user: { noun: user, id: userId } },
    relies: {},
    decide: () => ({ events: { user: [event] } }),
  });
}

function sealed(keyring: Keyring, userId: string, kind: keyof typeof codes): string {
  const field = kind === "phone" ? "phone.code" : "initialization.code";
  return keyring.seal(codes[kind], { stream: `user-${userId}`, field });
}

const person = {
  firstName: "Ada",
  lastName: "Lovelace",
  nickName: "",
  displayName: "Ada Lovelace",
  preferredLanguage: "",
  gender: "UNSPECIFIED",
  passwordChangeRequired: false,
} as const;

const passwordHash = "$2b$10$abcdefghijklmnopqrstuuJ0pQ8r7Fh1Z0v2bWl5ZkqzXwYtN6mS2";

/** The mail and the SMS to a person that are due at a time. */
export async function composeDue(
  place: NotifyPlace,
  userId: string,
  nowMs: number,
): Promise<readonly [Message, Message]> {
  const leased = await place.store.leaseMessages({ nowMs, leaseMs: 1_000, limit: 9 });
  const [stored] = await place.store.load([`user-${userId}`]);
  const user = JSON.parse(stored?.state ?? "") as UserState;
  const { keyring } = place;
  const [mail, sms] = leased.map(({ event, field }) => {
    const asked = readAsking(event);
    const destination = findDestination(user, asked, nowMs)!;
    const about = { organization: "Analytical Engines", brand: plainBrand };
    const order = { event, field, user, destination, asked, ...about };
    return compose(order, { keyring, publicUrl: () => publicUrl });
  });
  return [mail!, sms!];
}
