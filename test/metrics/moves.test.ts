import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { families } from "../../src/metrics/families.ts";
import { createMeasures } from "../../src/metrics/measures.ts";
import type { Reading } from "../../src/metrics/registry.ts";
import { textOf } from "../../src/metrics/text.ts";
import { troubleLimits } from "../../src/notify/channel/trouble.ts";
import { createKeyPairs, type KeyPair, makeKeyPair } from "../../src/secrets/key-pairs.ts";
import { inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { startServer } from "../harness/server.ts";
import { watching } from "../harness/watches.ts";
import { acting, set } from "../provider/acting.ts";
import { post } from "../provider/asking.ts";
import { begin, logIn, type Parties, startParties } from "../provider/relying.ts";
import { run, start } from "../start/command.ts";

// Every metric moves: each has a series that is another after something has happened.

const measuresOf = () =>
  createMeasures({
    ...{ version: "1.2.3", backupMs: async () => undefined },
    ...{ elapsedMs: () => performance.now(), now: () => Date.now() },
  });

const measures = measuresOf();
const held = Promise.withResolvers<KeyPair>();
held.promise.catch(() => {});
let isHeld = false;
const make = () => (isHeld ? held.promise : makeKeyPair());
const keyPairs = createKeyPairs({ waitingMax: 2, make });
let parties: Parties;
let first: readonly Reading[];

beforeAll(async () => {
  parties = await startParties({
    ...{ measures, delivers: true, keyPairs, sendLimits: { mailsPerOrganization: 2 } },
    sandboxLimits: { threads: 2, startMs: 20_000, waitMs: 20_000 },
  });
  first = await measures.read();
});
afterAll(async () => {
  held.reject(new Error("nobody needs it any more"));
  await parties.close();
  measures.close();
});

const moved = new Set<string>();

/** Takes up which series are not as they were, by their name and labels. */
function note(before: readonly Reading[], now: readonly Reading[]): void {
  const seriesOf = (readings: readonly Reading[]) =>
    readings.flatMap(({ name, series }) =>
      series.map(({ labels, values }) => [[name, ...labels].join(" "), values.join()] as const),
    );
  const known = new Map(seriesOf(before));
  for (const [key, values] of seriesOf(now)) if (known.get(key) !== values) moved.add(key);
}

/** More than there are before what is waited for has happened. */
const readsMax = 10_000;

/** Reads until a series has moved. */
async function untilMoved(key: string): Promise<void> {
  for (let reads = 0; reads < readsMax && !moved.has(key); reads += 1) {
    note(first, await measures.read());
    await new Promise(setImmediate);
  }
  expect([...moved]).toContain(key);
}

/** A person who is sent a mail. */
const invite = () =>
  parties.givenPerson({ email: { email: `${crypto.randomUUID()}@example.com` } });

test("calls, refusals and appends are counted", async () => {
  await parties.call("POST", "/management/v1/projects", { name: "Portal" });
  await expect(parties.call("POST", "/management/v1/projects", { name: "PORTAL" })).rejects.toThrow(
    "NAME_TAKEN",
  );
  await (await fetch(`${parties.server.url}/nothing`)).text();
  const form = { method: "POST", body: new URLSearchParams({ name: "Portal" }) };
  await (await fetch(`${parties.server.url}/management/v1/projects`, form)).text();
  await (await fetch(`${parties.server.url}/management/v1/projects`)).text();
  const stranger = `${parties.server.url}/iam.management.v1.ManagementService/RemoveProject`;
  const headers = { "content-type": "application/json" };
  await (await fetch(stranger, { method: "POST", headers, body: "{}" })).text();
  await untilMoved(
    "rpc_server_call_duration_seconds json iam.management.v1.ManagementService/AddProject",
  );
  await untilMoved("rpc_server_call_duration_seconds other other");
  expect([...moved].join()).not.toContain("RemoveProject");
  await untilMoved("iam_refusals_total json NAME_TAKEN");
  await untilMoved("iam_refusals_total http UNKNOWN_PATH");
  await untilMoved("iam_refusals_total http METHOD_NOT_ALLOWED");
  await untilMoved("iam_refusals_total http UNSUPPORTED_MEDIA_TYPE");
  await untilMoved("iam_appends_total appended");
  await untilMoved("iam_appends_total claim-taken");
  await untilMoved("iam_append_duration_seconds");
  await untilMoved("iam_commit_writes");
});

inFull(
  "logins are counted by application, factor and outcome, and actions by their end",
  async () => {
    const acts = acting(parties);
    const there = await acts.given({ 4: [{ body: set("a", "1") }] });
    await acts.tokensOf(there);
    await acts.setActions(there.orgId, "4", [
      await acts.givenAction(there.orgId, { name: "fail", body: "throw 1;", allowedToFail: true }),
    ]);
    await logIn(parties.browser(), there.app, there.person, { scope: "openid email" });
    const browser = parties.browser();
    await browser.open((await begin(there.app)).url.href);
    await browser.send({ userName: there.person.userName, password: "wrong" });
    await post(parties, "/oauth/v2/token", { grant_type: "authorization_code" });
    const { clientId } = there.app;
    await untilMoved(`iam_logins_total ${clientId} password success`);
    await untilMoved(`iam_logins_total ${clientId} password failure`);
    await untilMoved("iam_artifact_writes_total Session put");
    await untilMoved("http_server_request_duration_seconds GET /oauth/v2/authorize 303");
    await untilMoved("iam_refusals_total openid invalid_request");
    await untilMoved("iam_password_hash_duration_seconds hash");
    await untilMoved("iam_password_hash_duration_seconds verify");
    await untilMoved("iam_action_runs_total");
    await untilMoved("iam_action_failures_total");
    const text = textOf(await measures.read());
    for (const secret of [there.person.userName, there.person.userId, there.person.email]) {
      expect(text).not.toContain(secret);
    }
  },
);

inFull("messages are counted by what came of them, and those that wait by why", async () => {
  const outbox = join(parties.server.dataDir, "outbox");
  await rm(outbox, { recursive: true, force: true });
  await writeFile(outbox, "in its way");
  await invite();
  await untilMoved("iam_messages_total email missed");
  await untilMoved("iam_messages_waiting retried");
  await untilMoved("iam_message_oldest_seconds");
  await untilMoved("iam_channel_failing_seconds email");
  parties.clock.nowMs += 2 * troubleLimits.untoldMs;
  await untilMoved("iam_warnings");
  await rm(outbox);
  await invite();
  await untilMoved("iam_messages_total email sent");
  await untilMoved("iam_message_age_seconds email");
  await invite();
  await untilMoved("iam_messages_waiting postponed");
});

inFull("watches are counted, with how far they lag", async () => {
  const { url, admin } = parties.server;
  const watch = watching("grpc", url, admin.token);
  await watch.positions(1);
  await untilMoved("iam_watches");
  while (!moved.has("iam_watch_lag_events")) {
    await parties.call("POST", "/management/v1/projects", { name: crypto.randomUUID() });
    note(first, await measures.read());
  }
  await watch.leave();
});

inFull("what waits is counted, and the process is measured", async () => {
  isHeld = true;
  const created = [keyPairs.create(), keyPairs.create()].map((one) => one.catch(() => {}));
  await untilMoved("iam_queue_length keys");
  const untilMs = performance.now() + 100;
  while (performance.now() < untilMs);
  for (const key of ["p50_seconds", "p99_seconds", "max_seconds"]) {
    await untilMoved(`nodejs_eventloop_delay_${key}`);
  }
  await untilMoved("process_cpu_time_seconds_total user");
  held.reject(new Error("nobody needs it any more"));
  await Promise.all(created);
});

inFull("of a log in a directory it is known how it is kept", async () => {
  await inDirectory(async (directory) => {
    const flags = ["--port=0", "--metrics-port=0", `--data-dir=${directory}`];
    const running = await start(flags);
    const before = (await running.measure?.()) ?? [];
    const backup = join(directory, "copy.db");
    expect(await run(["backup", backup, "--data-dir", directory])).toMatchObject({ code: 0 });
    for (const key of ["iam_log_verified_events", "iam_backup_timestamp_seconds"]) {
      while (!moved.has(key)) note(before, (await running.measure?.()) ?? []);
    }
    note(
      [],
      before.filter(({ name }) => name === "iam_log_head_lag_events"),
    );
    await running.close();
  });
});

inFull("of a log in a database its connections are known", async () => {
  const own = measuresOf();
  const server = await startServer({ kind: "postgres", measures: own });
  const read = await own.read();
  note(
    [],
    read.filter(({ name }) => name === "iam_database_connections"),
  );
  const waiting = read.find(({ name }) => name === "iam_messages_waiting");
  expect(waiting?.series.map(({ labels, values }) => [...labels, ...values])).toEqual([
    ["postponed", 0],
    ["due", 0],
    ["retried", 0],
  ]);
  await server.close();
  own.close();
});

inFull("there is no other metric", async () => {
  note(
    [],
    first.filter(({ name }) => name === "iam_info"),
  );
  await parties.server.log.close();
  await untilMoved("iam_ready");
  const names = new Set([...moved].map((key) => key.split(" ")[0]));
  const all = Object.values(families).map(({ name }) => name);
  expect(all.filter((name) => !names.has(name))).toEqual([]);
});
