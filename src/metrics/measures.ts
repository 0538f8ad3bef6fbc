import type { CallLine, RefusalLine } from "../gateway/call/call.ts";
import type { Channels } from "../notify/channel/channel.ts";
import type { RequestLine, ShownFactor } from "../provider/base/parts.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import { type ArtifactWrite, kindOf } from "../store/artifact.ts";
import { OutcomeUnknown, type Store } from "../store/store.ts";
import { createBusiest } from "./busiest.ts";
import { families, type Meters } from "./families.ts";
import { createMachine } from "./machine.ts";
import { createRegistry, type Meter, type Reading } from "./registry.ts";
import { readSources, type Sources } from "./sources.ts";

/** All that is measured of a service; what it says of a part, the part does not know. */
export interface Measures {
  readonly call: (line: CallLine) => void;
  readonly request: (line: RequestLine) => void;
  readonly refusal: (line: RefusalLine) => void;
  readonly login: (shown: ShownFactor) => void;
  /** Counts a commit of so many appends and writes of artifacts. */
  readonly commit: (writes: number) => void;
  /** The same store, whose appends and writes are counted. */
  store(store: Store): Store;
  passwords(passwords: Passwords): Passwords;
  channels(channels: Channels): Channels;
  /** Has these be asked at each reading. */
  ask(sources: Sources): void;
  /** All metrics as they are now. */
  read(): Promise<readonly Reading[]>;
  close(): void;
}

/** How the conventions call the forms of calls. */
const systems = { grpc: "grpc", "grpc-web": "grpc-web", connect: "connectrpc", json: "json" };

// Strangers choose which of these are asked for: there is room for all that remain.
const foldedVerb = (verb: string) => (verb === "HEAD" ? "GET" : verb);
const routeOf = (path: string) => (path.startsWith("/account/") ? "/account/:part" : path);

/** Refusals are told by their class: the metric of refusals has their reasons. */
function shownStatus(status: number): string {
  return status < 400 ? String(status) : `${Math.floor(status / 100)}xx`;
}

/** What a process knows of itself before it serves, and its clocks. */
export interface MeasuresParts {
  readonly version: string;
  /** Unix milliseconds of the last backup; undefined where none is known. */
  readonly backupMs: () => Promise<number | undefined>;
  /** Milliseconds since any time, for durations. */
  readonly elapsedMs: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Makes the measures of a process. */
export function createMeasures({ version, backupMs, elapsedMs, now }: MeasuresParts): Measures {
  const meters = createRegistry(families);
  const { calls, requests, refusals, logins, info, backup } = meters;
  const machine = createMachine(meters);
  const told = createBusiest(logins.fold);
  const commits = meters.commits.series();
  let sources: Sources | undefined;

  const refuse = (protocol: string, reason: string) =>
    refusals.add(refusals.series(protocol, reason));
  const timed = async <Result>(meter: Meter, series: number, work: () => Promise<Result>) => {
    const sinceMs = elapsedMs();
    try {
      return await work();
    } finally {
      meter.observe(series, (elapsedMs() - sinceMs) / 1_000);
    }
  };

  return {
    call: ({ method, dialect, code, caller, durationMs }) => {
      const system = systems[dialect];
      // A stranger who is refused takes the place of no method that is called.
      const isStranger = code !== "OK" && caller === undefined;
      const its = isStranger ? calls.known(system, method) : calls.series(system, method);
      calls.observe(its, durationMs / 1_000);
      if (code !== "OK") refuse(system, code);
    },
    request: ({ verb, path = "", status, durationMs, error }) => {
      const its = requests.series(foldedVerb(verb), routeOf(path), shownStatus(status));
      requests.observe(its, durationMs / 1_000);
      if (error !== undefined) refuse("openid", error);
    },
    refusal: ({ code = "INTERNAL" }) => refuse("http", code),
    login: ({ application, factor, outcome }) =>
      logins.add(logins.series(told(application), factor, outcome)),
    commit: (writes) => meters.commits.observe(commits, writes),
    store: (store) => measuredStore(store, meters, timed),
    passwords: (passwords) => measuredPasswords(passwords, meters.hashes, timed),
    channels: (channels) => measuredChannels(channels, meters, now),
    ask: (given) => {
      sources = given;
      machine.begin();
    },
    read: async () => {
      machine.read();
      info.set(info.series(version), 1);
      const lastMs = await backupMs();
      backup.set(backup.series(), lastMs && lastMs / 1_000);
      if (sources !== undefined) await readSources(sources, meters);
      return Object.values(meters).map((meter) => meter.read());
    },
    close: machine.close,
  };
}

type Timed = <Result>(meter: Meter, series: number, work: () => Promise<Result>) => Promise<Result>;

function measuredStore(store: Store, meters: Meters, timed: Timed): Store {
  const { appends, appendSeconds, artifacts } = meters;
  const seconds = appendSeconds.series();
  const count = (outcome: string) => appends.add(appends.series(outcome));
  const countWrite = (change: ArtifactWrite) => {
    const key =
      "artifact" in change ? change.artifact.key : "key" in change ? change.key : "family:";
    artifacts.add(artifacts.series(kindOf(key).slice(0, -1), change.kind));
  };
  return {
    ...store,
    append: (append) =>
      timed(appendSeconds, seconds, () => store.append(append)).then(
        (result) => {
          count(result.kind);
          return result;
        },
        (error: unknown) => {
          count(error instanceof OutcomeUnknown ? "unknown" : "unavailable");
          throw error;
        },
      ),
    artifacts: {
      ...store.artifacts,
      write: (changes, nowMs) => {
        for (const change of changes) countWrite(change);
        return store.artifacts.write(changes, nowMs);
      },
    },
  };
}

function measuredPasswords(passwords: Passwords, hashes: Meter, timed: Timed): Passwords {
  return {
    ...passwords,
    hashPassword: (...given) =>
      timed(hashes, hashes.series("hash"), () => passwords.hashPassword(...given)),
    verifyPassword: (...given) =>
      timed(hashes, hashes.series("verify"), () => passwords.verifyPassword(...given)),
  };
}

function measuredChannels(
  channels: Channels,
  { messages, messageAges }: Meters,
  now: () => number,
): Channels {
  const measured = (name: keyof Channels): Channels[typeof name] => {
    return async (message, signal) => {
      const attempt = await channels[name](message, signal);
      messages.add(messages.series(name, attempt.kind));
      const seconds = Math.max(0, now() - message.timeMs) / 1_000;
      if (attempt.kind === "sent") messageAges.observe(messageAges.series(name), seconds);
      return attempt;
    };
  };
  return { email: measured("email"), sms: measured("sms") };
}
